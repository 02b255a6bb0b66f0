// The bytes of a body as they come, on runtimes whose streams cannot be iterated too.

type Read = { readonly done: boolean; readonly value?: Uint8Array | undefined }

type Reader = { readonly read: () => Promise<Read>; readonly cancel: () => Promise<void> }

/** Cancels what is left of the body where its reader stops early. */
export async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader: Reader | undefined = response.body?.getReader()
  if (reader === undefined) return
  let isWhole = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isWhole = done
      if (done) return
      if (value !== undefined) yield value
    }
  } finally {
    if (!isWhole) void reader.cancel().catch(() => undefined)
  }
}
