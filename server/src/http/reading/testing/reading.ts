import type { KeyPair } from '@quipu/broker/access/issue-keys.ts'

export type SseMessage = {
  readonly event: string
  readonly id: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

/** A reader of server-sent events on a real connection. */
export type SseReader = {
  /** Waits for the next `count` messages. */
  take(count: number): Promise<readonly SseMessage[]>
  /** Resolves when the server has ended the stream. */
  ended(): Promise<void>
  close(): void
}

export async function readSse(
  { url }: { readonly url: string },
  path: string,
  key: KeyPair | { readonly token: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<SseReader> {
  const leaving = new AbortController()
  const response = await fetch(`${url}${path}`, {
    headers: {
      accept: 'text/event-stream',
      ...('token' in key
        ? { authorization: `Bearer ${key.token}` }
        : { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey }),
      ...headers,
    },
    signal: leaving.signal,
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  const messages = parse(response)
  return {
    async take(count) {
      const taken: SseMessage[] = []
      while (taken.length < count) {
        const { value, done } = await messages.next()
        if (done) throw new Error(`the stream ended after ${taken.length} of ${count} messages`)
        taken.push(value)
      }
      return taken
    },
    async ended() {
      // A stream that the server cuts is a broken connection.
      const over = { done: true }
      while (!(await messages.next().catch(() => over)).done);
    },
    close: () => leaving.abort(),
  }
}

/** Keeps a reference to the response, because the body of a garbage-collected response ends. */
async function* parse({ body }: Response): AsyncGenerator<SseMessage, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of body!) {
    text += decoder.decode(bytes, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) if (!part.startsWith(':')) yield messageOf(part)
  }
  return undefined
}

function messageOf(part: string): SseMessage {
  const fields = Object.fromEntries(
    part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  return {
    event: fields['event']!,
    data: JSON.parse(fields['data']!),
    id: fields['id'],
  }
}
