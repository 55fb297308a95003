#!/bin/sh
# A scheduler of shell, curl and sed that asks for pods every two seconds: polling_scheduler.sh SERVER
names() {
  curl -s "$1" | sed -n 's/^        "name": "\(.*\)",/\1/p'
}
while true; do
  node=$(names "$1/api/v1/nodes" | head -n 1)
  for pod in $(names "$1/api/v1/pods?fieldSelector=spec.nodeName%3D"); do
    curl -s -o /dev/null -H 'Content-Type: application/json' "$1/api/v1/namespaces/default/pods/$pod/binding" \
      -d "{\"metadata\":{\"name\":\"$pod\"},\"target\":{\"kind\":\"Node\",\"name\":\"$node\"}}"
  done
  sleep 2
done
