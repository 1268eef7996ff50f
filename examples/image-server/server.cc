// Finds near-duplicates: every line of a request is turned into a 64-bit fingerprint (SimHash over
// its word pairs) and compared with every fingerprint in the model; the answer names the nearest
// one and how many bits differ.
//
//   server [PORT]                 serves POST /score and GET /ready on PORT (default 8080)
//   server --write-model FILE     writes a model of half a million fingerprints
//   server --write-rows FILE      writes request bodies for it, one JSON string a line
//
// One thread a connection, keep-alive, no library beyond the C++ standard one, linked statically:
// the whole container image is this program.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kFingerprints = 500'000;
constexpr int kRows = 120;
constexpr std::size_t kLargestRequest = 4 << 20;

std::uint64_t Hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ (hash >> 29);
}

/// SimHash: similar lines differ in few bits.
std::uint64_t Fingerprint(std::string_view line) {
  std::array<int, 64> votes{};
  std::size_t begin = 0;
  while (begin < line.size()) {
    const std::size_t first = std::min(line.find(' ', begin), line.size());
    const std::size_t second = std::min(line.find(' ', first + 1), line.size());
    const std::uint64_t hash = Hash(line.substr(begin, second - begin));
    for (std::size_t bit = 0; bit < 64; ++bit) votes[bit] += (hash >> bit & 1) != 0 ? 1 : -1;
    begin = first + 1;
  }
  std::uint64_t result = 0;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    result |= static_cast<std::uint64_t>(votes[bit] > 0) << bit;
  }
  return result;
}

std::vector<std::uint64_t> LoadModel() {
  const char* const folder = std::getenv("AZUREML_MODEL_DIR");
  const std::string path = std::string(folder != nullptr ? folder : ".") + "/fingerprints.bin";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  std::vector<std::uint64_t> model(std::filesystem::file_size(path) / sizeof(std::uint64_t));
  file.read(reinterpret_cast<char*>(model.data()),
            static_cast<std::streamsize>(model.size() * sizeof(std::uint64_t)));
  return model;
}

std::string Score(const std::vector<std::uint64_t>& model, std::string_view body) {
  std::string answer = "[";
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::uint64_t wanted = Fingerprint(body.substr(0, end));
    std::size_t nearest = 0;
    int fewest = 65;
    for (std::size_t i = 0; i < model.size(); ++i) {
      const int bits = std::popcount(model[i] ^ wanted);
      if (bits < fewest) {
        fewest = bits;
        nearest = i;
      }
    }
    if (answer.size() > 1) answer += ',';
    answer +=
        "{\"nearest\":" + std::to_string(nearest) + ",\"bits\":" + std::to_string(fewest) + "}";
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return answer + "]\n";
}

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Answer(int socket, const char* status, const std::string& body) {
  return SendAll(socket, std::string("HTTP/1.1 ") + status +
                             "\r\nContent-Type: application/json\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body);
}

std::size_t ContentLength(std::string_view head) {
  for (std::size_t at = 0; (at = head.find("\r\n", at)) != std::string_view::npos;) {
    at += 2;
    constexpr std::string_view kName = "content-length:";
    if (head.size() - at > kName.size() &&
        strncasecmp(head.data() + at, kName.data(), kName.size()) == 0) {
      return std::strtoul(head.data() + at + kName.size(), nullptr, 10);
    }
  }
  return 0;
}

/// Reads requests from `socket` and answers them until the other side closes.
void Serve(int socket, const std::vector<std::uint64_t>& model) {
  std::string input;
  std::array<char, 65536> buffer;
  while (true) {
    const std::size_t head_end = input.find("\r\n\r\n");
    const std::size_t length =
        head_end == std::string::npos ? 0 : ContentLength(input.substr(0, head_end));
    if (length > kLargestRequest) break;
    if (head_end == std::string::npos || input.size() < head_end + 4 + length) {
      const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      input.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    bool sent = false;
    if (input.starts_with("POST /score ")) {
      sent = Answer(socket, "200 OK",
                    Score(model, std::string_view(input).substr(head_end + 4, length)));
    } else if (input.starts_with("GET /ready ")) {
      sent = Answer(socket, "200 OK", "{\"fingerprints\":" + std::to_string(model.size()) + "}\n");
    } else {
      sent = Answer(socket, "404 Not Found", "{}\n");
    }
    if (!sent) break;
    input.erase(0, head_end + 4 + length);
  }
  close(socket);
}

int Listen(std::uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener, 128) != 0) {
    std::perror("listen");
    std::exit(1);
  }
  return listener;
}

void WriteModel(const char* path) {
  std::mt19937_64 random(1);
  std::ofstream file(path, std::ios::binary);
  for (std::size_t i = 0; i < kFingerprints; ++i) {
    const std::uint64_t value = random();
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

void WriteRows(const char* path) {
  constexpr std::array<const char*, 16> kWords = {
      "invoice", "harbour", "copper", "evening", "window", "ticket", "orchard", "signal",
      "ledger",  "winter",  "bridge", "paper",   "engine", "letter", "market",  "garden"};
  std::mt19937 random(2);
  std::ofstream file(path);
  for (int row = 0; row < kRows; ++row) {
    const int lines = 1 + row * row / 300;
    file << '"';
    for (int line = 0; line < lines; ++line) {
      if (line > 0) file << "\\n";
      file << "entry " << row << '-' << line;
      for (int word = 0; word < 12; ++word) file << ' ' << kWords[random() % kWords.size()];
    }
    file << "\"\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--write-model") == 0) {
    WriteModel(argv[2]);
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--write-rows") == 0) {
    WriteRows(argv[2]);
    return 0;
  }
  const std::vector<std::uint64_t> model = LoadModel();
  const int listener = Listen(static_cast<std::uint16_t>(argc > 1 ? std::atoi(argv[1]) : 8080));
  while (true) {
    const int connection = accept(listener, nullptr, nullptr);
    if (connection >= 0) std::thread(Serve, connection, std::cref(model)).detach();
  }
}
