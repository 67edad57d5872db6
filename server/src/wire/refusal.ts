import type { ErrorName } from '@quipu/contract'

/** A refusal as the core gives it: a name of the catalogue with the words its message wants. */
export type Reason = { readonly code: ErrorName; readonly [word: string]: unknown }

/** Ends a handler with an error of the catalogue; one place turns it into an answer. */
export class Refused extends Error {
  readonly reason: Reason
  /** Extra header names and values, flat. */
  readonly headers: readonly string[]

  constructor(reason: Reason, headers: readonly string[] = []) {
    super(reason.code)
    this.name = 'Refused'
    this.reason = reason
    this.headers = headers
  }
}

export const refuse = (reason: Reason, headers?: readonly string[]): Refused => new Refused(reason, headers)

/** Ends a handler with a body of its own shape, where a standard asks for one. */
export class RefusedAs extends Error {
  readonly status: number
  readonly body: unknown
  readonly headers: readonly string[]

  constructor(status: number, body: unknown, headers: readonly string[] = []) {
    super(`refused with ${status}`)
    this.name = 'RefusedAs'
    this.status = status
    this.body = body
    this.headers = headers
  }
}
