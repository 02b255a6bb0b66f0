#!/usr/bin/env bash
# Sends what is new in Mintmark's audit log, oldest first, one JSON object a line: appends to FILE, or prints. Run it every minute.
#   send-audit-log.sh CURSOR [FILE]
# Needs MINTMARK_URL and MINTMARK_API_KEY (permission audit:read), and curl, flock, awk, GNU coreutils. Exits with 75 while another
# run has the cursor.
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

# Names without a folder could be taken for options or variables. What is no plain file cannot be read again after a kill.
[[ $cursor == */* ]] || cursor=./$cursor
[[ $file == */* || -z $file ]] || file=./$file
for one in "$cursor" ${file:+"$file"}; do
  [[ ! -e $one || -f $one ]] || fail "$one is no plain file."
done

# Prints the number and the time of the last entry of a file.
last_of() { tail -n 1 "$1" | sed -n 's/^{"n":\([0-9]*\),"at":"\([^"]*\)",.*}$/\1 \2/p'; }

# The key is no argument: other users could see it. An answer that breaks off fails (curl exits with 18).
ask() { # PATH OUTPUT
  local status
  status=$(printf 'header = "X-API-Key: %s"\n' "$MINTMARK_API_KEY" |
    curl -q --config - --silent --show-error --fail --connect-timeout 5 --max-time 600 --output "$2" --write-out '%{http_code}' \
      "${MINTMARK_URL%/}/api/v1/$1")
  [[ $status == 200 ]] || fail "status $status instead of 200: check MINTMARK_URL. Nothing was sent."
}

# One run at a time. Programs that this one started keep the lock until they end, also if this one is killed.
exec 9>"$cursor.lock"
flock --nonblock --conflict-exit-code 75 9

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
  if [[ -s $file ]]; then
    read -r file_n file_at < <(last_of "$file") || fail "the last line of $file is no entry: move the file aside."
    if ((file_n > n)); then n=$file_n at=$file_at; fi
  fi
fi

# Overlaps by 5 minutes or more. If the clock here was set back since the last run, asks for the whole log.
printf -v earlier '%(%Y-%m-%dT%H:%M:%S.000Z)T' "$(($(date +%s) - 300))"
if [[ $since > $earlier ]]; then since=''; fi

# The number of the newest entry: what is asked for next must reach it.
ask 'audit?limit=1' "$cursor.answer"
newest=$(sed -n -e 's/^{"data":\[{"n":\([0-9]*\),.*/\1/p' -e 's/^{"data":\[\].*/0/p' "$cursor.answer")
[[ -n $newest ]] || fail 'the answer could not be read: check MINTMARK_URL. Nothing was sent.'

while :; do
  ask "exports/audit?format=ndjson${since:+&since=$since}" "$cursor.answer"
  # By number: times go back after `mintmark clock reset`. Every number must be there, and so must the last entry that was sent.
  sort --field-separator=: --key=2,2n "$cursor.answer" >"$cursor.sorted"
  state=0
  [[ ! -s $cursor.answer || $(tail -c 1 "$cursor.answer" | wc -l) -eq 1 ]] || state=3
  ((state != 0)) || awk -F '"' -v n="$n" -v at="$at" -v newest="$newest" '
    BEGIN { last = n + 0; seen = last == 0 }
    !/^[{]"n":[0-9]+,"at":"[^"]+",.*[}]$/ || length($6) != 24 || $6 ~ /[^-0-9T:.Z]/ { broken = 1; exit }
    { number = substr($3, 2) + 0 }
    number == n + 0 && $6 == at { seen = 1 }
    number <= n + 0 { next }
    number != last + 1 { broken = 1; exit }
    { last = number; print }
    END { exit broken ? 3 : !seen ? 4 : last < newest + 0 ? 3 : 0 }
  ' <"$cursor.sorted" >"$cursor.batch" || state=$?
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
