// The limit of open files of a process, where it is too low to start.

/** What a person is told, whichever file could not be opened. */
export const TOO_FEW_FILES =
  'This process may open too few files (EMFILE): raise its limit to 1024 or more, with `ulimit -n 1024`, LimitNOFILE= of systemd or --ulimit nofile of a container.'
