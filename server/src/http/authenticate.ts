import type { IncomingMessage } from 'node:http'
import type { Flavour } from '@quipu/core'
import type { Caller } from '../access/caller.ts'
import { findCaller } from '../access/failed-attempts.ts'
import { onBehalfOf } from '../journal/cause.ts'
import { refuse } from '../wire/refusal.ts'
import { callerOf, namedKey } from './auth.ts'
import { clientAddress } from './client-address.ts'
import { Context } from './context.ts'
import type { Exchange } from './exchange.ts'
import type { Services } from './services.ts'

/** The caller, if the credentials are right. Wrong credentials beyond the limits of failed attempts get 429. */
export function authenticate(services: Services, exchange: Exchange, flavour: Flavour): Caller | undefined {
  const { request, requestId, operation } = exchange
  if (!hasCredentials(request)) return undefined
  const { failedAttempts, credentials, trustProxy } = services
  const caller = callerOf(request.headers, credentials, flavour)
  const chosenKey = credentials.chosenKey(namedKey(request.headers))
  if (caller !== undefined && chosenKey === undefined) return caller
  const { cause } = new Context({ services, request, requestId, operation, caller, flavour })
  const find = () => findCaller(failedAttempts, clientAddress(request, trustProxy), chosenKey, () => caller)
  const found = onBehalfOf(cause, find)
  if (found.waitSeconds > 0)
    throw refuse({ code: 'tooManyFailedAttempts' }, ['Retry-After', String(found.waitSeconds)])
  return found.caller
}

/** Whether the headers have a credential, right or wrong. */
export const hasCredentials = ({ headers }: IncomingMessage): boolean =>
  headers.authorization !== undefined || headers['apca-api-key-id'] !== undefined
