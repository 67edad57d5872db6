import type { IncomingMessage } from 'node:http'
import type { Caller } from '@quipu/broker/access/caller.ts'
import type { Allowance } from '@quipu/broker/access/rate-limits.ts'
import type { Handlers, Input, Operation, OperationName, RawRequest, Router } from '@quipu/contract'
import type { HostGuard } from '../connection/host.ts'
import type { Context } from '../context.ts'
import type { ContinueEvents } from '../event-stream.ts'
import { Exchange } from '../exchange.ts'
import type { RequestFault } from '../faults.ts'
import type { Services } from '../services.ts'
import type { Turns } from '../turns.ts'

/** What all requests share. */
export type Shared = {
  readonly services: Services
  readonly handlers: Handlers<Context>
  readonly isServed: HostGuard
  readonly route: Router<OperationName>
  readonly rates: RequestRates
  readonly turns: Turns
}

/** Counts a request against the rate limit of its caller; undefined if there is no limit. */
export type RequestRates = (
  operation: Operation,
  caller: Caller | undefined,
  request: IncomingMessage,
) => Allowance | undefined

/** The request has its response: no later step runs. */
export const ANSWERED = Symbol('answered')

/** The fields that a step adds. For all other steps they are read-only. */
type Writable<Added> = { -readonly [Name in keyof Added]: Added[Name] }

/**
 * A step of a request. It reads the fields that the steps before it have added, and writes those that it adds. It may
 * return a promise, and `ANSWERED`. A step that refuses the request throws.
 */
export type RequestStep<Before, Added = unknown> = (
  shared: Shared,
  request: Before & Writable<Added>,
) => unknown

/** The fields of the steps. All exist from the beginning, because V8 reads objects faster that never get a new field. */
export class SteppedExchange extends Exchange {
  readonly declared: Operation | undefined
  readonly params: RawRequest['params'] | undefined
  readonly input: Input | undefined
  readonly output: unknown
  lookedUp: Routed['lookedUp']
  continueEvents: Routed['continueEvents']
}

export type Routed = Exchange & {
  /** The name of the operation. */
  readonly operation: OperationName
  readonly declared: Operation
  readonly params: RawRequest['params']
  /** The caller, after its credentials were checked. */
  lookedUp?: { readonly caller: Caller | undefined }
  /** In a cluster: how the response goes on at another node, if it is an event stream. */
  continueEvents?: ContinueEvents
}

export type Called = Routed & { readonly context: Context }

export type ParsedInput = Called & { readonly input: Input }

export type Faulted = ParsedInput & { readonly fault: RequestFault | undefined }

export type Handled = Faulted & { readonly output: unknown }
