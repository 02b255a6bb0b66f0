// How many requests that arrive together are served as one group.

/** Beyond it a group gains little, and the last request of it waits for all (measured for the store's inserts). */
export const GROUP_MAX = 256
