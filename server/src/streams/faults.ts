import type { Caller } from '@quipu/broker/access/caller.ts'
import { applyToConnection, type FaultyConnection, sendMessage } from '@quipu/broker/faults/connection.ts'
import type { AuthenticationEffect, SubscriptionEffect } from '@quipu/broker/faults/effect.ts'
import type { Faults } from '@quipu/broker/faults/faults.ts'
import { streamSymbols } from '@quipu/broker/faults/magic.ts'
import type { Facts, FaultRule } from '@quipu/broker/faults/rule.ts'
import { tradeUpdatesPath } from '@quipu/contract'
import type { Message } from './frame.ts'

/** A socket that faults change. */
export type FaultySocket = FaultyConnection<Message> & {
  readonly endpoint: string
  readonly caller: Caller | undefined
}

/** The subject of a message. */
export type About = {
  readonly type: string
  readonly symbol: string
  readonly clientOrderId?: string | undefined
}

const factsOf = ({ endpoint }: FaultySocket, caller: Caller, about?: About): Facts => ({
  now: () => caller.world.clock.now(),
  accountId: caller.kind === 'account' ? caller.accountId : undefined,
  stream: [endpoint === tradeUpdatesPath ? 'trade_updates' : 'market_data', endpoint],
  message: about?.type,
  symbols: about && [about.symbol],
  clientOrderId: about?.clientOrderId,
})

/** The refusal of right credentials, if a rule demands one. */
export const authenticationFault = (
  faults: Faults,
  socket: FaultySocket,
  caller: Caller,
): AuthenticationEffect | undefined => faults.meet('authentication', factsOf(socket, caller))?.effect

/** How a subscription is lost, if a rule demands it. */
export function subscriptionFault(
  socket: FaultySocket,
  symbols: readonly string[],
): SubscriptionEffect | undefined {
  const { caller } = socket
  if (caller?.world.faults === undefined) return undefined
  return caller.world.faults.meet('subscription', { ...factsOf(socket, caller), symbols })?.effect
}

/** Applies the rules on connections to one that has authenticated, or only a new rule to one that is open. */
export function meetConnection(socket: FaultySocket, created?: FaultRule): void {
  const { caller } = socket
  const faults = caller?.world.faults
  if (caller === undefined || faults === undefined) return
  const fault = faults.meet('connection', factsOf(socket, caller), created)
  if (fault) applyToConnection(socket, fault.rule, fault.effect)
}

/** Applies the effect of a symbol such as FAULT.CLOSE to the stream that has subscribed to it. */
export function meetSymbols(socket: FaultySocket, symbols: readonly string[]): void {
  for (const symbol of symbols) {
    const effect = streamSymbols.get(symbol)
    if (effect) applyToConnection(socket, { isDeleted: false, nextDraw: () => 0 }, effect)
  }
}

/** Sends a message of a world with rules. */
export function sendFaulty(faults: Faults, socket: FaultySocket, message: Message, about: About): void {
  const { caller } = socket
  if (caller === undefined || isWithheld(faults, socket, caller, about)) return
  sendMessage(socket, message, faults.meet('message', factsOf(socket, caller, about)))
}

const staleChannels: ReadonlySet<string> = new Set(['quotes', 'trades', 'orderbooks'])

/** Whether an outage or stale quotes keep a message of market data back. */
function isWithheld(faults: Faults, socket: FaultySocket, caller: Caller, about: About): boolean {
  if (socket.endpoint === tradeUpdatesPath) return false
  const facts = factsOf(socket, caller, about)
  if (faults.meet('market', { ...facts, kind: 'outage' })) return true
  return (
    staleChannels.has(about.type) && faults.meet('market', { ...facts, kind: 'staleQuotes' }) !== undefined
  )
}
