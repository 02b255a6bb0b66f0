#!/usr/bin/env bash
# Sends what is new in Mintmark's audit log, oldest first, one JSON object a line: appends to FILE, or prints. Run it every minute.
#   send-audit-log.sh CURSOR [FILE]
# Needs MINTMARK_URL and MINTMARK_API_KEY (permission audit:read), and curl, flock, awk, GNU coreutils.
set -euo pipefail
export LC_ALL=C TZ=UTC0
mask=$(umask) # for FILE; cursors are private
umask 077
cursor=${1:?Usage: send-audit-log.sh CURSOR [FILE]}
file=${2:-}
: "${MINTMARK_URL:?is not set}" "${MINTMARK_API_KEY:?is not set}"

fail() {
  printf 'send-audit-log: %s\n' "$1" >&2
  exit 1
}

# Prints the number and the time of the last entry of a file.
last_of() { tail -n 1 "$1" | sed -n 's/^{"n":\([0-9]*\),"at":"\([^"]*\)",.*}$/\1 \2/p'; }

# One run at a time. Programs that this one started keep the lock until they end, also if this one is killed.
exec 9>"$cursor.lock"
flock --nonblock --conflict-exit-code 75 9 || exit $(($? == 75 ? 0 : 1))

# The last entry that was sent, and the time from which to ask.
n=0 at='' since=''
if [[ -e $cursor ]]; then
  read -r n at since <"$cursor" || n=''
  form='^[1-9][0-9]*( [-0-9T:.Z]{24}){2}$'
  [[ "$n $at $since" =~ $form ]] || fail "$cursor is not a cursor: restore it, or remove it to send the whole log again."
fi

# A run that was killed may have appended entries that the cursor lacks, and a part of a line: keep them, and drop the part.
if [[ -n $file && -s $file ]]; then
  if [[ $(tail -c 1 "$file" | wc -l) -eq 0 ]]; then
    truncate --size="-$(tail -n 1 "$file" | wc -c)" "$file"
  fi
  read -r file_n file_at < <(last_of "$file") || file_n=0
  if ((file_n > n)); then n=$file_n at=$file_at; fi
fi

# Overlaps by 5 minutes or more. If the clock here was set back since the last run, asks for the whole log.
printf -v earlier '%(%Y-%m-%dT%H:%M:%S.000Z)T' "$(($(date +%s) - 300))"
if [[ $since > $earlier ]]; then since=''; fi

while :; do
  # The key is no argument: other users could see it. An answer that breaks off fails here (curl exits with 18).
  status=$(printf 'header = "X-API-Key: %s"\n' "$MINTMARK_API_KEY" |
    curl --config - --silent --show-error --fail --connect-timeout 5 --speed-limit 1 --speed-time 60 \
      --output "$cursor.answer" --write-out '%{http_code}' \
      "${MINTMARK_URL%/}/api/v1/exports/audit?format=ndjson${since:+&since=$since}")
  [[ $status == 200 ]] || fail "status $status instead of 200: check MINTMARK_URL. Nothing was sent."

  # By number: times go back after `mintmark clock reset`. Every number must be there, and so must the last entry that was sent.
  sort --field-separator=: --key=2,2n "$cursor.answer" >"$cursor.sorted"
  state=0
  awk -F '"' -v n="$n" -v at="$at" '
    BEGIN { last = n + 0; seen = last == 0 }
    !/^[{]"n":[0-9]+,"at":"[^"]+",.*[}]$/ { broken = 1; exit }
    { number = substr($3, 2) + 0 }
    number == n + 0 && $6 == at { seen = 1 }
    number <= n + 0 { next }
    number != last + 1 { broken = 1; exit }
    { last = number; print }
    END { exit broken ? 3 : seen ? 0 : 4 }
  ' "$cursor.sorted" >"$cursor.batch" || state=$?
  # Entries may be earlier than `since` if the clock of the service was set back: then asks once more, for the whole log.
  if ((state == 0)) || [[ -z $since ]]; then break; fi
  since=''
done
case $state in
  0) ;;
  3) fail 'the answer is not complete. Nothing was sent; the next run asks again.' ;;
  4) fail "entry $n of $at is gone: the store was restored or replaced. Move $cursor and its output aside to send the new log." ;;
  *) fail 'the answer could not be read. Nothing was sent.' ;;
esac

if [[ -s $cursor.batch ]]; then
  read -r n at < <(last_of "$cursor.batch") || fail 'the batch is not complete. Nothing was sent.'
  if [[ -n $file ]]; then
    (umask "$mask" && cat "$cursor.batch" >>"$file")
    sync "$file"
  else
    cat "$cursor.batch"
  fi
fi

# The cursor moves after the entries are safe, and at once or not at all.
if ((n > 0)); then
  if [[ $at > $earlier ]]; then since=$earlier; else since=$at; fi
  printf '%s %s %s\n' "$n" "$at" "$since" >"$cursor.new"
  sync "$cursor.new"
  mv -f "$cursor.new" "$cursor"
fi
rm -f "$cursor.answer" "$cursor.sorted" "$cursor.batch"
