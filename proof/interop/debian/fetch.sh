#!/bin/sh
# Unpacks the packages of Debian 12 that packages.txt names below $BUILD/debian/root. Nothing is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. /etc/os-release
[ "$ID $VERSION_ID" = 'debian 12' ] || { echo "This suite is for Debian 12, not for $PRETTY_NAME."; exit 1; }
cmp -s "$here/packages.txt" "$BUILD/debian/ready" && exit 0
mkdir -p "$BUILD/debian"
cd "$BUILD/debian"
# shellcheck disable=SC2046
apt-get download $(cat "$here/packages.txt")
for package in *.deb; do dpkg-deb --extract "$package" root; done
cp "$here/packages.txt" ready
