# What a release consists of, each on a root that has nothing else: the package for npm, the executable, the Debian package, the image. Sourced by
# deploy/check-bare, which sets $dir, $port and $key.

# buildah without a container engine: chroot in place of namespaces, plain folders in place of layers.
build=(buildah --root "$dir/store" --runroot "$dir/run" --storage-driver vfs)

release_builds() {
  npm run --silent release -- --output "$dir/release" "$@"
  (cd "$dir/release" && sha256sum --check SHA256SUMS)
}

sizes() { (cd "$dir/release" && du --apparent-size --block-size=MB ./*) | sed 's/^/  /'; }

make_npm_root() {
  copy_root npm
  add_node "$dir/npm" 24 11
  mkdir "$dir/npm/folder"
  cp "$dir"/release/mintmark-[0-9]*.tgz "$dir/npm/mintmark.tgz"
}

# dev_works ROOT COMMAND…: from an empty folder to the answers that the README shows.
dev_works() {
  local root=$1
  shift
  # shellcheck disable=SC2016 # for the shell within
  start "$dir/dev.log" chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root PORT=8080 \
    bash -c 'cd /folder && exec "$@"' dev "$@" dev
  wait_for "$dir/dev.log" 'source .mintmark/dev.env\|\. .mintmark/dev.env'
  readme_works "$root/folder"
  stop_service
}

# From an empty folder to a route of Express that refuses a token which was revoked 100 ms before: docs/apis/verify-node.md.
route_refuses() {
  local root=$dir/npm
  mkdir "$root/route"
  cp "$dir"/release/mintmark-verify-*.tgz "$root/verify.tgz"
  cp deploy/bare/route.mjs "$root/route"
  # shellcheck disable=SC2016 # for the shell within
  start "$dir/route.log" chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root PORT=8080 \
    bash -ec 'cd /route && npm init --yes && npm install --silent /mintmark.tgz /verify.tgz express
      npx mintmark dev & until [[ -s .mintmark/dev.env ]]; do sleep 0.1; done
      set -a && source .mintmark/dev.env && exec node route.mjs'
  wait_for "$dir/route.log" 'Orders on'
  (cd "$root/route" && bash -e "$OLDPWD/deploy/bare/route.sh") | tee "$dir/answers"
  stop_service
  grep -o '[0-9]*$' "$dir/answers" | grep . | tr '\n' ' ' | grep -qx '200 401 '
}

npx_dev_works() { dev_works "$dir/npm" npx --yes --package /mintmark.tgz mintmark; }

executable_builds_again() {
  npm run --silent release -- --output "$dir/again" --only executable-x64
  cmp "$dir"/release/mintmark-*-linux-x64 "$dir"/again/mintmark-*-linux-x64
}

place_executable() {
  copy_root executable
  install -m 755 "$dir"/release/mintmark-*-linux-x64 "$dir/executable/usr/local/bin/mintmark"
  mkdir -p "$dir/executable/folder"
  ! inside "$dir/executable" 'command -v node npm || ls /usr/lib/*/libatomic.so.1'
}

executable_dev_works() { dev_works "$dir/executable" mintmark; }

executable_lives() {
  # shellcheck disable=SC2046 # words
  token_lives chroot "$dir/executable" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root $(settings /data) mintmark
}

package_installs() {
  copy_root debian
  cp "$dir"/release/mintmark_*.deb "$dir/debian/mintmark.deb"
  inside "$dir/debian" 'apt-get update -q && apt-get install -q --yes --no-install-recommends /mintmark.deb'
  inside "$dir/debian" 'stat --format "%U %a" /var/lib/mintmark /etc/mintmark/key' | tee "$dir/modes"
  printf 'mintmark 700\nroot 600\n' | cmp - "$dir/modes"
}

# As its unit runs it: as its user, with its settings and the key, without a capability.
package_run() {
  # shellcheck disable=SC2046 # words
  echo chroot "$dir/debian" /usr/bin/env -i PATH=/usr/bin:/bin $(settings /var/lib/mintmark | sed "s|MINTMARK_KEY_ENCRYPTION_KEY=.*|MINTMARK_KEY_ENCRYPTION_KEY=$(<"$dir/debian/etc/mintmark/key")|") \
    setpriv --reuid mintmark --regid mintmark --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all mintmark
}

package_lives() {
  # shellcheck disable=SC2046 # words
  token_lives $(package_run)
}

# repack VERSION NAME: the same program under another version.
repack() {
  sed -i "s/^Version: .*/Version: $1/" "$dir/next/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone --build "$dir/next" "$dir/debian/$2.deb"
}

# What apt does at an upgrade, a removal and a purge. Without a terminal no question may be asked.
package_upgrades() {
  dpkg-deb --raw-extract "$dir/debian/mintmark.deb" "$dir/next"
  repack 9 next
  echo 'MINTMARK_IDP_AUDIENCE=changed' >>"$dir/debian/etc/mintmark/mintmark.env"
  sha256sum "$dir/debian/etc/mintmark/key" "$dir/debian/var/lib/mintmark/mintmark.db" >"$dir/kept"
  inside "$dir/debian" 'addgroup --quiet backup-readers && chgrp backup-readers /var/lib/mintmark && chmod 2750 /var/lib/mintmark'
  inside "$dir/debian" 'dpkg --install /next.deb </dev/null && mintmark --version'
  inside "$dir/debian" 'test "$(stat --format "%U %G %a" /var/lib/mintmark)" = "mintmark backup-readers 2750"'
  sha256sum --check "$dir/kept"
  inside "$dir/debian" 'grep -q changed /etc/mintmark/mintmark.env'
  inside "$dir/debian" 'chmod 600 /etc/mintmark/mintmark.env && mintmark-local agent list' | grep bare
}

package_is_removed() {
  inside "$dir/debian" 'dpkg --remove mintmark && test ! -e /usr/lib/mintmark'
  sha256sum --check "$dir/kept"
  # A store behind a link, and a folder that is mounted.
  inside "$dir/debian" 'mv /var/lib/mintmark /srv/store && ln -s /srv/store /var/lib/mintmark'
  mount -t tmpfs tmpfs "$dir/debian/var/cache/mintmark"
  touch "$dir/debian/var/cache/mintmark/compiled"
  inside "$dir/debian" 'dpkg --purge mintmark && test ! -e /etc/mintmark -a ! -L /var/lib/mintmark -a -z "$(ls -A /srv/store /var/cache/mintmark | grep -v :)"'
  umount "$dir/debian/var/cache/mintmark"
}

# Older packages have the settings as a conffile, which dpkg then keeps as an obsolete one.
package_keeps_conffile() {
  local settings=etc/mintmark/mintmark.env
  cp "$dir/next/usr/share/mintmark/mintmark.env" "$dir/next/$settings"
  echo "/$settings" >"$dir/next/DEBIAN/conffiles"
  repack 0 before
  inside "$dir/debian" 'dpkg --install /before.deb && echo MINTMARK_IDP_AUDIENCE=changed >>/etc/mintmark/mintmark.env'
  sha256sum "$dir/debian/$settings" >"$dir/kept"
  rm "$dir/next/$settings" "$dir/next/DEBIAN/conffiles"
  echo '# another default' >>"$dir/next/usr/share/mintmark/mintmark.env"
  repack 9 next
  inside "$dir/debian" 'dpkg --install /mintmark.deb </dev/null && dpkg --install /next.deb </dev/null'
  sha256sum --check "$dir/kept"
  inside "$dir/debian" 'dpkg --purge mintmark && test ! -e /etc/mintmark'
}

package_key_is_whole() {
  mkdir "$dir/debian/etc/mintmark"
  mount -t tmpfs -o size=4k tmpfs "$dir/debian/etc/mintmark"
  inside "$dir/debian" 'dpkg --unpack /next.deb'
  if inside "$dir/debian" 'dpkg --configure mintmark'; then return 1; fi
  test ! -e "$dir/debian/etc/mintmark/key"
  mount -o remount,size=1m "$dir/debian/etc/mintmark"
  inside "$dir/debian" 'dpkg --configure mintmark && test "$(wc -c </etc/mintmark/key)" -eq 45'
}

# What builds the image: any Debian with Node and npm.
make_builder() {
  cp -a "$dir/plain" "$dir/builder"
  inside "$dir/builder" 'apt-get update -q && apt-get install -q --yes --no-install-recommends libatomic1'
  add_node "$dir/builder" 26 11
  local container
  container=$("${build[@]}" from scratch)
  "${build[@]}" add --quiet "$container" "$dir/builder" /
  "${build[@]}" commit --quiet --rm "$container" localhost/node:bare
}

# From a clone: what git does not know is not in the image.
image_builds() {
  git clone --quiet --no-hardlinks . "$dir/clone"
  "${build[@]}" build --isolation chroot --network host --build-arg NODE_IMAGE=localhost/node:bare \
    --file "$dir/clone/deploy/Dockerfile" --tag mintmark:bare "$dir/clone"
}

image_size() { "${build[@]}" images --format '{{.Name}}:{{.Tag}} {{.Size}}' | grep '^localhost/mintmark' | sed 's/^/  /'; }

# The image's file system as a container has it: read-only but for the data folder.
mount_image() {
  local place
  place=$("${build[@]}" mount "$("${build[@]}" from mintmark:bare)")
  ln -s "$place" "$dir/image"
  stat --format '%u %a' "$place/var/lib/mintmark" | grep -qx '1000 700'
  grep -q '^ID=debian$' "$place/etc/os-release"
  test -s "$place/etc/debian_version"
  if ls "$place"/bin/sh "$place"/usr/bin/env; then return 1; fi
  mount --bind "$place" "$place"
  mount -o remount,bind,ro "$place"
  mount -t tmpfs -o uid=4711,gid=4711,mode=700 tmpfs "$place/var/lib/mintmark"
}

# As process 1, with a user id that no list has and without a capability.
image_lives() {
  # shellcheck disable=SC2046 # words
  token_lives /usr/bin/env -i PATH=/usr/local/bin NODE_ENV=production $(settings /var/lib/mintmark) \
    /usr/bin/setpriv --no-new-privs /usr/bin/unshare --pid --fork --kill-child=TERM /usr/sbin/chroot --userspec=4711:4711 "$dir/image/." mintmark
}
