// Errors as Azure ML's clients read them: the shape of model management and that of all other
// services in one body, and never 429, at which these clients wait for minutes. Pure.
#pragma once

#include <string>

#include "common/http/message.h"
#include "common/result/result.h"

namespace mlprof::server {

int AzureStatusOf(ErrorCode code);
/// `code` is what a client prints before the message: "UserError".
HttpResponse AzureError(int status, const std::string& code, const Error& error);
/// With Retry-After where something is full.
HttpResponse AzureError(const Error& error);
/// The message with what is wrong in each field, for clients that show nothing else.
std::string MessageWithFields(const Error& error);

/// The blob service speaks XML and a header.
HttpResponse BlobError(int status, const std::string& code, const std::string& message);
HttpResponse BlobError(const Error& error);

std::string EscapeXml(const std::string& text);

}  // namespace mlprof::server
