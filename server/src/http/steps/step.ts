import type { IncomingMessage } from 'node:http'
import type { Caller } from '@quipu/broker/access/caller.ts'
import type { Allowance } from '@quipu/broker/access/rate-limits.ts'
import type { Handlers, Input, Operation, OperationName, RawRequest, Router } from '@quipu/contract'
import type { HostGuard } from '../connection/host.ts'
import type { Context } from '../context.ts'
import type { ContinueEvents } from '../event-stream.ts'
import type { Exchange } from '../exchange.ts'
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

type Result<Added> = Added | typeof ANSWERED

/**
 * A step of a request. It reads what the steps before it have added, and returns what it adds. A step that refuses the
 * request throws.
 */
export type RequestStep<Before, Added = void> = (
  shared: Shared,
  request: Before,
) => Result<Added> | Promise<Result<Added>>

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
