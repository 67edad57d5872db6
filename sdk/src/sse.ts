/** A message of a server-sent stream. */
export type SseMessage = {
  /** The last id so far, from this message or an earlier one. */
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** Maximum length of an unfinished message. More than this is not an event stream. */
const UNFINISHED_MAX = 16 * 1024 * 1024

/** Parses server-sent events by the HTML standard, from bytes cut anywhere. */
export class SseParser {
  readonly #decoder = new TextDecoder()
  #rest = ''
  #data: string[] = []
  #size = 0
  #event = ''
  #id: string | undefined
  #retryMs: number | undefined
  /** The last line ended with a carriage return: a line feed right after it belongs to the same line end. */
  #isAfterReturn = false

  /** The last `id:`, even without a message. */
  get id(): string | undefined {
    return this.#id
  }

  /** The reconnect delay that the server sent. */
  get retryMs(): number | undefined {
    return this.#retryMs
  }

  take(bytes: Uint8Array): readonly SseMessage[] {
    const messages: SseMessage[] = []
    let text = this.#decoder.decode(bytes, { stream: true })
    if (text === '') return messages
    if (this.#isAfterReturn && text.startsWith('\n')) text = text.slice(1)
    this.#isAfterReturn = text.endsWith('\r')
    const lines = (this.#rest + text).split(/\r\n|\n|\r/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = this.#line(line)
      if (message) messages.push(message)
    }
    if (this.#rest.length + this.#size > UNFINISHED_MAX)
      throw new Error(`a message is longer than ${UNFINISHED_MAX} characters`)
    return messages
  }

  #line(line: string): SseMessage | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      this.#data.push(value)
      this.#size += value.length
    } else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value)
    return undefined
  }

  #dispatch(): SseMessage | undefined {
    const event = this.#event === '' ? 'message' : this.#event
    const data = this.#data
    this.#event = ''
    this.#data = []
    this.#size = 0
    return data.length === 0 ? undefined : { id: this.#id, event, data: data.join('\n') }
  }
}
