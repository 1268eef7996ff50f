#include "common/http/message.h"

namespace mlprof {

void HttpHeaders::Add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void HttpHeaders::Set(std::string name, std::string value) {
  Remove(name);
  Add(std::move(name), std::move(value));
}

void HttpHeaders::Remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return EqualsIgnoringCase(field.first, name); });
}

std::optional<std::string> HttpHeaders::Get(std::string_view name) const {
  for (const auto& [field_name, value] : fields_) {
    if (EqualsIgnoringCase(field_name, name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string> HttpHeaders::GetAll(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [field_name, value] : fields_) {
    if (EqualsIgnoringCase(field_name, name)) values.push_back(value);
  }
  return values;
}

std::optional<std::string> HttpRequest::Query(std::string_view name) const {
  for (const auto& [field_name, value] : query) {
    if (field_name == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> HttpRequest::QueryAll(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [field_name, value] : query) {
    if (field_name == name) values.push_back(value);
  }
  return values;
}

const std::string& HttpRequest::BodyText() const {
  static const std::string kNone;
  const auto* text = std::get_if<std::string>(&body);
  return text ? *text : kNone;
}

HttpResponse TextResponse(int status, std::string content_type, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers.Set("Content-Type", std::move(content_type));
  response.body = std::move(body);
  return response;
}

}  // namespace mlprof
