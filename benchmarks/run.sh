#!/usr/bin/env bash
# Measures everything and writes docs/benchmarks.md. Takes about 30 minutes; wants a machine that does nothing else, and wrk.
#   benchmarks/run.sh            all of it
#   JMH_OPTIONS='-wi 1 -i 3' ROUNDS=3 benchmarks/run.sh    a quicker look
#   benchmarks/run.sh filter     one part: decisions, refusals, memory, flood, filter, rules, keys, observation, endpoint, shared or profile; then the page
set -euo pipefail
cd "$(dirname "$0")/.."
command -v wrk >/dev/null || { echo "Please install wrk (on Debian: apt-get install wrk)" >&2; exit 1; }
[ -d benchmarks/target/lib ] && [ -n "${SKIP_BUILD:-}" ] || ./mvnw -q -B -pl benchmarks,sample-app -am package -DskipTests
results=benchmarks/results
mkdir -p "$results"
classpath="benchmarks/target/classes:benchmarks/target/lib/*"
package=io.github.ratelimit.benchmarks
jmh() { java -cp "$classpath" org.openjdk.jmh.Main -rf json "$@" ${JMH_OPTIONS:-} >&2; }

decisions() {
    jmh DecisionBenchmark -t 1 -prof gc -rff "$results/decisions-1.json"
    jmh DecisionBenchmark -t 2 -prof gc -rff "$results/decisions-2.json"
}
refusals() { jmh RefusalBenchmark -prof gc -rff "$results/refusals.json"; }
rules() { jmh RuleLookupBenchmark -rff "$results/rules.json"; }
keys() { jmh LimitLookupBenchmark -prof gc -rff "$results/keys.json"; }
observation() { jmh ObservationBenchmark -prof gc -rff "$results/observation.json"; }
memory() {
    for limiter in ratelimit map caffeine bucket4j resilience4j guava; do
        java -Xmx3g -cp "$classpath" $package.MemoryPerKey "$limiter"
    done >"$results/memory.txt"
}
flood() { java -Xmx64m -cp "$classpath" $package.FloodedZone >"$results/flood.txt"; }
filter() { java -cp "$classpath" $package.filter.FilterCost ${ROUNDS:-7} ${ROUND_SECONDS:-6} | grep -E '^[a-z0-9-]+ [0-9.]+ [0-9]+$' >"$results/filter.txt"; }
endpoint() { java -cp "$classpath" $package.EndpointCost sample-app/target/sample-app.jar ${ROUNDS:-7} >"$results/endpoint.txt"; }
shared() { java -cp "$classpath" $package.SharedDecisionDriver ${ROUND_SECONDS:-5} ${SHARED_ROUNDS:-5} 64 | grep -E 'decisions/s|^(bare|ours|bucket4j)' >"$results/shared.txt"; }
profile() {
    local port=18973 recording server
    recording="$PWD/$results/filter.jfr"
    java -Xms256m -Xmx256m -XX:+UseSerialGC -XX:StartFlightRecording:settings=profile,filename="$recording",dumponexit=true \
        -cp "$classpath" $package.filter.FilterApplication \
        --spring.profiles.active=ratelimit --server.address=127.0.0.1 --server.port=$port >/dev/null 2>&1 &
    server=$!
    for _ in $(seq 300); do curl -sf -o /dev/null "http://127.0.0.1:$port/hello" && break; sleep 0.2; done
    wrk -t1 -c16 -d25s "http://127.0.0.1:$port/hello" >&2
    kill "$server"
    wait "$server" || true
    java -cp "$classpath" $package.filter.FilterProfile "$recording" >"$results/profile.txt"
    rm -f "$recording"
}

{
    grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'
    echo "$(nproc) processors, $(awk '/MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo), $(uname -sr | sed "s/-.*//")"
    java -version 2>&1 | sed -n 2p
    ls benchmarks/target/lib | grep -E '^(bucket4j|caffeine|guava|resilience4j-ratelimiter|jmh-core|spring-boot-4|tomcat-embed-core)' | sed 's/\.jar$//' | paste -sd' '
} >"$results/machine.txt"
for part in "${@:-decisions refusals rules keys observation memory flood filter profile endpoint shared}"; do
    for step in $part; do "$step"; done
done
# only once it is whole
java -cp "$classpath" $package.Report "$results" >"$results/benchmarks.md"
mv "$results/benchmarks.md" docs/benchmarks.md
