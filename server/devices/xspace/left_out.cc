#include "server/devices/xspace/left_out.h"

#include "server/devices/xspace/trace.h"

namespace mlprof::server::xspace {

void TellLeftOut(Json& document, const std::string& list, std::size_t count) {
  if (count > 0) document[list + "LeftOut"] = count;
}

void SetTexts(Json& document, const std::string& list, const std::vector<std::string_view>& texts,
              std::size_t most) {
  Json told = Json::array();
  for (std::size_t i = 0; i < texts.size() && i < most; ++i) {
    told.push_back(std::string(CutName(texts[i])));
  }
  document[list] = std::move(told);
  TellLeftOut(document, list, texts.size() > most ? texts.size() - most : 0);
}

}  // namespace mlprof::server::xspace
