# Finds a Docker engine that answers, or starts one. Sourced by sh, after steps.sh.
#
#   engine_answers         true when the engine the docker command talks to answers
#   ensure_engine STATE    starts one where none answers: systemd's service where there is
#                          systemd; else dockerd, its process id in STATE/dockerd.pid, its log in
#                          STATE/dockerd.log
#   stop_engine STATE      stops the dockerd that ensure_engine started, and no other
#
# Every way in which this fails ends the script with one line and its remedy.

docker_socket=/var/run/docker.sock
docker_pid_file=/var/run/docker.pid
docker_root=/var/lib/docker
docker_space_needed_mib=3000
docker_start_deadline_s=60

engine_answers() {
  command -v docker > /dev/null &&
    timeout 10 docker version --format '{{.Server.Version}}' > /dev/null 2>&1
}

is_dockerd() { [ "$(cat "/proc/$1/comm" 2>/dev/null)" = dockerd ]; }

# Refuses what would make dockerd fail, with the remedy; removes what a dead dockerd left.
check_before_start() {
  if [ -n "${DOCKER_HOST:-}" ]; then
    fail "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST" \
      "start that engine, or 'unset DOCKER_HOST' to have one started here"
  fi
  if [ "$(id -u)" != 0 ]; then
    fail "no Docker engine answers at $docker_socket, and only root can start one" \
      "run this as root; or, where an engine runs, add yourself to its group: usermod -aG docker $(id -un)"
  fi
  command -v dockerd > /dev/null || fail "there is no dockerd" "apt-get install docker.io"
  if [ -d "$docker_socket" ]; then
    fail "$docker_socket is a directory" "rmdir $docker_socket"
  fi
  if [ -e "$docker_pid_file" ]; then
    old=$(cat "$docker_pid_file" 2>/dev/null)
    if is_dockerd "$old"; then
      fail "dockerd (process $old) runs but does not answer at $docker_socket" \
        "look at its log; 'kill $old' and run this again"
    fi
    say "  removing $docker_pid_file, left by process $old, which is no dockerd (any more)"
    rm -f "$docker_pid_file"
  fi
  if [ -S "$docker_socket" ] && socket_is_taken; then
    fail "a program listens on $docker_socket but does not answer as a Docker engine" \
      "stop it (ss -xlp | grep docker.sock), or set DOCKER_HOST to an engine that answers"
  fi
  mkdir -p "$docker_root" 2>/dev/null || fail "cannot create $docker_root" "look at its permissions"
  free_mib=$(df -Pm "$docker_root" | awk 'NR == 2 { print $4 }')
  if [ "$free_mib" -lt $docker_space_needed_mib ]; then
    fail "$docker_root has $free_mib MiB free, images need about $docker_space_needed_mib" \
      "free space there, or set DOCKER_HOST to an engine elsewhere"
  fi
  if ! grep -q ' cgroup2\? ' /proc/mounts; then
    fail "no cgroup file system is mounted, so no container can be limited" \
      "mount -t cgroup2 none /sys/fs/cgroup"
  fi
  if [ -z "$(pgrep -x containerd 2>/dev/null)" ]; then
    rm -f /var/run/docker/containerd/containerd.pid
  fi
}

socket_is_taken() {
  timeout 5 curl -s --unix-socket "$docker_socket" http://localhost/_ping > /dev/null 2>&1
  [ $? != 7 ]
}

ensure_engine() {
  state=$1
  engine_answers && return
  check_before_start
  if [ -d /run/systemd/system ]; then
    systemctl start docker && engine_answers ||
      fail "systemd could not start docker" "journalctl -u docker -e"
    return
  fi
  mkdir -p "$state"
  setsid nohup dockerd > "$state/dockerd.log" 2>&1 < /dev/null &
  engine_pid=$!
  echo $engine_pid > "$state/dockerd.pid"
  waited=0
  until engine_answers; do
    if ! kill -0 $engine_pid 2>/dev/null; then
      rm -f "$state/dockerd.pid"
      explain_engine_failure "$state/dockerd.log"
    fi
    if [ $waited -ge $docker_start_deadline_s ]; then
      kill $engine_pid
      rm -f "$state/dockerd.pid"
      fail "dockerd did not answer within $docker_start_deadline_s s (log: $state/dockerd.log)" \
        "look at the end of its log"
    fi
    sleep 1
    waited=$((waited + 1))
  done
}

# Says in one line why dockerd, whose log is $1, ended.
explain_engine_failure() {
  reason=$(grep -E 'level=fatal|failed to start|^failed|error' "$1" | tail -n 1 | cut -c 1-300)
  case $(tail -n 20 "$1") in
    *'no space left'*) cure="free space on $docker_root" ;;
    *'address already in use'*) cure="stop what uses the address, or set DOCKER_HOST" ;;
    *'pid file'*) cure="rm $docker_pid_file, unless that process is a dockerd" ;;
    *iptables* | *'perating system does not support'*)
      cure="this kernel lacks what container networks need; use a virtual machine, or set DOCKER_HOST" ;;
    *'not permitted'* | *'ermission denied'*)
      cure="this machine does not let dockerd mount or make networks; use a virtual machine, or set DOCKER_HOST" ;;
    *) cure="look at the end of its log" ;;
  esac
  fail "dockerd ended: ${reason:-no reason in its log} (log: $1)" "$cure"
}

stop_engine() {
  [ -e "$1/dockerd.pid" ] || return 0
  pid=$(cat "$1/dockerd.pid")
  if is_dockerd "$pid"; then
    kill "$pid"
    waited=0
    while kill -0 "$pid" 2>/dev/null && [ $waited -lt 30 ]; do
      sleep 1
      waited=$((waited + 1))
    done
  fi
  rm -f "$1/dockerd.pid"
}
