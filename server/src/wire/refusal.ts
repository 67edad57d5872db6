import type { ErrorName } from '@quipu/contract'

/** An error name of the catalogue with the values of its message. */
export type Reason = { readonly code: ErrorName; readonly [value: string]: unknown }

/** Ends a handler with an error of the catalogue; `http/fail.ts` converts it to a response. */
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

/** Ends a handler with a body outside the catalogue, where a standard such as OAuth defines the error body. */
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
