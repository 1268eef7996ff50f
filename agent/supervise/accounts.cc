#include "agent/supervise/accounts.h"

#include <charconv>
#include <optional>

#include "common/text/split.h"

namespace mlprof::agent {
namespace {

std::optional<std::uint32_t> AccountNumber(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // The largest one means "unchanged" to setuid.
  if (error != std::errc() || end != text.data() + text.size() || value == UINT32_MAX) {
    return std::nullopt;
  }
  return value;
}

struct User {
  std::string_view name;
  uid_t uid;
  gid_t gid;
  std::string_view home;
};

// "name:password:uid:gid:comment:home:shell"
std::optional<User> FindUser(std::string_view passwd, std::string_view wanted) {
  const auto number = AccountNumber(wanted);
  for (const std::string_view line : Split(passwd, '\n')) {
    const auto fields = Split(line, ':');
    if (fields.size() < 6) continue;
    const auto uid = AccountNumber(fields[2]);
    const auto gid = AccountNumber(fields[3]);
    if (!uid || !gid) continue;
    if (fields[0] == wanted || uid == number) return User{fields[0], *uid, *gid, fields[5]};
  }
  return std::nullopt;
}

struct Group {
  std::string_view name;
  gid_t gid;
  std::vector<std::string_view> members;
};

// "name:password:gid:member,member"
std::vector<Group> Groups(std::string_view group) {
  std::vector<Group> groups;
  for (const std::string_view line : Split(group, '\n')) {
    const auto fields = Split(line, ':');
    if (fields.size() < 4) continue;
    const auto gid = AccountNumber(fields[2]);
    if (gid) groups.push_back({fields[0], *gid, Split(fields[3], ',')});
  }
  return groups;
}

}  // namespace

Result<Identity> ResolveUser(std::string_view user, std::string_view passwd,
                             std::string_view group) {
  const std::size_t colon = user.find(':');
  std::string_view name = user.substr(0, colon);
  if (name.empty()) name = "0";
  Identity identity;
  const auto found = FindUser(passwd, name);
  if (found) {
    identity.uid = found->uid;
    identity.gid = found->gid;
    identity.home = found->home;
  } else if (const auto uid = AccountNumber(name)) {
    identity.uid = *uid;
  } else {
    return Fail(NotFound("the image's user \"" + std::string(name) + "\" is not in /etc/passwd"));
  }
  if (colon == std::string_view::npos || colon + 1 == user.size()) {
    for (const Group& entry : Groups(group)) {
      for (const std::string_view member : entry.members) {
        if (found && member == found->name) identity.groups.push_back(entry.gid);
      }
    }
    return identity;
  }
  const std::string_view wanted = user.substr(colon + 1);
  const auto number = AccountNumber(wanted);
  if (number) identity.gid = *number;
  for (const Group& entry : Groups(group)) {
    if (entry.name != wanted) continue;
    identity.gid = entry.gid;
    return identity;
  }
  if (number) return identity;
  return Fail(NotFound("the image's group \"" + std::string(wanted) + "\" is not in /etc/group"));
}

}  // namespace mlprof::agent
