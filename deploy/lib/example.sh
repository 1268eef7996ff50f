# Trains examples/sentiment and writes its requests, unless that has been done. Sourced by sh, in the
# root of the repository.

example=examples/sentiment
venv=build/demo-venv

train_example() {
  if [ ! -x "$venv/bin/python" ] || ! cmp -s $example/requirements.txt "$venv/requirements.txt"; then
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" || return 1
    "$venv/bin/pip" install -r $example/requirements.txt || return 1
    cp $example/requirements.txt "$venv/requirements.txt"
  fi
  mkdir -p build/demo
  content=$(cat $example/*.py | sha256sum)
  if [ "$(cat build/demo/trained 2>/dev/null)" != "$content" ] ||
    [ ! -e $example/model/sentiment.joblib ] || [ ! -e $example/requests.jsonl ]; then
    "$venv/bin/python" $example/train.py && "$venv/bin/python" $example/make_requests.py || return 1
    echo "$content" > build/demo/trained
  fi
}
