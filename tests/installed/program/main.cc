// Asks a server that is not there for a model, as a program of somebody else's would.
#include <mlprof/client.h>

#include <iostream>
#include <utility>

int main() {
  auto transport = mlprof::client::ConnectTo("http://127.0.0.1:1", "");
  if (!transport) {
    std::cout << "no transport: " << transport.error().message() << "\n";
    return 1;
  }
  mlprof::client::Client client(*std::move(transport), "default");
  const auto model = client.models().Get("sentiment");
  if (model) return 1;
  std::cout << (model.error().code() == mlprof::ErrorCode::kUnavailable ? "unavailable" : "other")
            << "\n";
  return 0;
}
