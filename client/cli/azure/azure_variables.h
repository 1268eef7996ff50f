// The environment that points an unmodified azureml-core at a server. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlprof::client::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// `tls_url` is "https://HOST:PORT". With a token, the address that hands out logins carries it.
Variables AzureVariables(const std::string& tls_url, const std::string& token,
                         const std::string& ca_bundle);

/// One `export` a line, for sh.
std::string ExportLines(const Variables& variables);

/// One word for sh, whatever is in it.
std::string ShellQuoted(std::string_view text);

/// "HOST:PORT" of a URL.
std::string AuthorityOf(const std::string& url);

}  // namespace mlprof::client::cli
