import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsIn } from '@quipu/core/values'
import { UpstreamFailed } from './failure.ts'
import type { UpstreamTerms } from './terms.ts'
import { parseSent } from './wire.ts'

/** Undefined values are omitted from the query string. */
export type Query = { readonly [name: string]: string | number | undefined }

/** Attempts per request, including the first. */
const ATTEMPTS = 3
const FIRST_WAIT_MS = 250
const JITTER = 0.2
/** Retry time after the provider rejects the credentials. */
const REFUSED_SECONDS = 60
const MESSAGE_MAX = 200

/**
 * HTTP requests to the provider, with a limit on concurrency, retries, and a total timeout. Fails only with
 * `UpstreamFailed`.
 */
export class UpstreamClient {
  readonly #terms: UpstreamTerms
  readonly #waiting: (() => void)[] = []
  readonly #closing = new AbortController()
  #running = 0

  constructor(terms: UpstreamTerms) {
    this.#terms = terms
  }

  async get(path: string, query: Query = {}, base: string = this.#terms.url): Promise<unknown> {
    const deadline = performance.now() + this.#terms.timeoutMs
    await this.#enter()
    try {
      return await this.#request(addressOf(base, path, query), deadline)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  close(): void {
    this.#closing.abort()
  }

  async #enter(): Promise<void> {
    while (this.#running >= this.#terms.requestsMax)
      await new Promise<void>((resume) => this.#waiting.push(resume))
    this.#running += 1
  }

  async #request(address: string, deadline: number): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#try(address, deadline)
      if ('body' in outcome) return outcome.body
      const { failure, retry } = outcome
      const waitMs =
        retry?.afterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + JITTER * (2 * Math.random() - 1))
      const seconds = Math.max(1, Math.ceil(waitMs / 1000))
      if (!retry || attempt >= ATTEMPTS || performance.now() + waitMs >= deadline)
        throw new UpstreamFailed(failure, retry ? seconds : REFUSED_SECONDS)
      await this.#pause(waitMs)
    }
  }

  async #try(address: string, deadline: number): Promise<Outcome> {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) return { failure: 'did not answer in time', retry: {} }
    try {
      const response = await fetch(address, {
        headers: { 'APCA-API-KEY-ID': this.#terms.keyId, 'APCA-API-SECRET-KEY': this.#terms.secretKey },
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(Math.ceil(leftMs)), this.#closing.signal]),
      })
      const text = await response.text()
      if (response.ok) return { body: parseSent(text) }
      return refusalOf(response, text)
    } catch (error) {
      if (this.#closing.signal.aborted) return { failure: 'connection is closed' }
      return { failure: failureOf(error), retry: {} }
    }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined)
  }
}

type Outcome =
  | { readonly body: unknown }
  /** `retry`: set if a retry may help, with its delay. */
  | { readonly failure: string; readonly retry?: { readonly afterMs?: number | undefined } }

function addressOf(base: string, path: string, query: Query): string {
  const address = new URL(base + path)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) address.searchParams.set(name, String(value))
  return address.href
}

function refusalOf({ status, headers }: Response, text: string): Outcome {
  const failure = `answered ${status}${messageIn(text)}`
  if (status !== 429 && status !== 408 && status < 500) return { failure }
  return { failure, retry: { afterMs: retryAfterMs(headers) } }
}

/** The message in the body, if there is one. */
function messageIn(text: string): string {
  try {
    const { message } = fieldsIn(JSON.parse(text))
    return typeof message === 'string' ? `: ${message.slice(0, MESSAGE_MAX)}` : ''
  } catch {
    return ''
  }
}

/** `Retry-After` in seconds or as a date, otherwise the reset time of the rate limit. */
function retryAfterMs(headers: Headers): number | undefined {
  const after = headers.get('retry-after')
  const reset = headers.get('x-ratelimit-reset')
  if (after !== null) {
    const ms = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now()
    return Number.isNaN(ms) ? undefined : Math.max(0, ms)
  }
  return reset !== null && /^\d+$/.test(reset) ? Math.max(0, Number(reset) * 1000 - Date.now()) : undefined
}

function failureOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'sent invalid JSON'
  if (error instanceof Error && error.name === 'TimeoutError') return 'did not answer in time'
  const { code } = fieldsIn(fieldsIn(error)['cause'])
  return `cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`
}
