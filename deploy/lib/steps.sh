# Steps with their time: what quickstart, cleanup and the tests have in common. Sourced by sh.
#
#   begin_steps LOGDIR         before the first step
#   step NAME COMMAND…         runs it now; its output goes to LOGDIR/NAME.log
#   start_step NAME COMMAND…   the same beside what follows and behind it, until finish_step NAME
#   fail MESSAGE REMEDY        one clear line, and exit 1
#
# A step that fails shows its last lines, names its log and its remedy ($remedy as it was when the step
# began), and ends the script, whatever else is being waited for.

log_dir=
remedy=
background_pids=

begin_steps() {
  log_dir=$1
  mkdir -p "$log_dir" || exit 1
  rm -f "$log_dir"/*.failed
  script_began=$(date +%s)
  trap 'stop_background; exit 130' INT TERM
}

seconds_since() { echo $(($(date +%s) - $1)); }

say() { printf '%s\n' "$*"; }

fail() {
  printf '\nFAILED: %s\n' "$1" >&2
  [ -z "${2:-}" ] || printf 'remedy: %s\n' "$2" >&2
  stop_background
  exit 1
}

# The programs this script itself started beside it, and nothing else.
stop_background() {
  for pid in $background_pids; do
    stop_tree "$pid"
  done
  background_pids=
}

stop_tree() {
  for child in $(pgrep -P "$1" 2>/dev/null); do
    (stop_tree "$child")
  done
  kill "$1" 2>/dev/null
}

last_lines() { grep -v '^[[:space:]]*$' "$1" 2>/dev/null | tail -n "$2" | cut -c 1-300; }

show_done() { printf '  %-12s %4s s  %s\n' "$1" "$2" "${3:-}"; }

# Waits for process $2 of step $1; on a terminal shows how long and the last line of its log. What
# fails beside it ends the script at once.
watch_step() {
  while kill -0 "$2" 2>/dev/null; do
    if [ -t 1 ]; then
      printf '\r\033[K  %-12s %4s s  %s' "$1" "$(seconds_since "$3")" \
        "$(last_lines "$log_dir/$1.log" 1 | cut -c 1-60)"
    fi
    for failed_step in "$log_dir"/*.failed; do
      [ -e "$failed_step" ] || continue
      [ ! -t 1 ] || printf '\r\033[K'
      failed_step=$(basename "$failed_step" .failed)
      step_failed "$failed_step" "$(cat "$log_dir/$failed_step.failed")"
    done
    sleep 0.3
  done
  [ ! -t 1 ] || printf '\r\033[K'
  wait "$2"
}

step_failed() {
  last_lines "$log_dir/$1.log" 8 | sed 's/^/    /' >&2
  eval "own_remedy=\${remedy_$(variable_name "$1"):-}"
  fail "$1, after $2 s (log: $log_dir/$1.log)" "${own_remedy:-$remedy}"
}

variable_name() { echo "$1" | tr -c 'a-z\n' _; }

step() {
  name=$1
  shift
  began=$(date +%s)
  "$@" > "$log_dir/$name.log" 2>&1 < /dev/null &
  background_pids="$background_pids $!"
  watch_step "$name" $! "$began" || step_failed "$name" "$(seconds_since "$began")"
  show_done "$name" "$(seconds_since "$began")"
}

start_step() {
  name=$1
  shift
  (
    began=$(date +%s)
    "$@" > "$log_dir/$name.log" 2>&1 < /dev/null
    status=$?
    seconds_since "$began" > "$log_dir/$name.seconds"
    [ $status = 0 ] || cp "$log_dir/$name.seconds" "$log_dir/$name.failed"
    exit $status
  ) &
  # What follows is waited for sooner: it gets the cores first.
  renice -n 15 -p $! > /dev/null 2>&1
  background_pids="$background_pids $!"
  eval "pid_$(variable_name "$name")=$!"
  eval "remedy_$(variable_name "$name")=\$remedy"
}

finish_step() {
  eval "pid=\$pid_$(variable_name "$1")"
  watch_step "$1" "$pid" "$script_began" ||
    step_failed "$1" "$(cat "$log_dir/$1.seconds" 2>/dev/null || echo '?')"
  show_done "$1" "$(cat "$log_dir/$1.seconds")" "$2"
}
