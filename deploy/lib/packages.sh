# The Debian packages each job needs, and their installation. Sourced by sh.

build_packages="g++ cmake ninja-build ccache nlohmann-json3-dev libboost-dev libcpprest-dev
  prometheus-cpp-dev libexpected-dev libsqlite3-dev libssl-dev libyaml-cpp-dev zlib1g-dev
  libnghttp2-dev"
run_packages="docker.io mmdebstrap python3-venv ca-certificates curl e2fsprogs"
test_packages="libgtest-dev libgmock-dev clang-format python3-yaml python3-jsonschema strace
  busybox-static procps git"

# Prints those of its arguments that are not installed. A docker command from elsewhere will do.
missing_packages() {
  for package in "$@"; do
    if [ "$package" = docker.io ] && command -v dockerd > /dev/null && command -v docker > /dev/null
    then
      continue
    fi
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s ' "$package"
  done
}

install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  # Without systemd, policy-rc.d keeps packages from starting a daemon out of sight.
  policy=/usr/sbin/policy-rc.d
  if [ ! -d /run/systemd/system ] && [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' > $policy && chmod 755 $policy
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  apt-get update
  apt-get install -y --no-install-recommends "$@"
}
