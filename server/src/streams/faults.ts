import type { Caller } from '@quipu/broker/access/caller.ts'
import {
  applyToConnection,
  authenticationFault,
  type FaultyConnection,
  meetConnection,
  subscriptionFault,
} from '@quipu/broker/faults/connection.ts'
import type { Faults } from '@quipu/broker/faults/faults.ts'
import { streamEffectOfSymbol } from '@quipu/broker/faults/magic.ts'
import { isWithheld } from '@quipu/broker/faults/market.ts'
import type { RequestFacts } from '@quipu/broker/faults/match.ts'
import { sendMessage } from '@quipu/broker/faults/message.ts'
import type { FaultRule } from '@quipu/broker/faults/rule.ts'
import { tradeUpdatesPath } from '@quipu/contract'
import type { Message } from './frame.ts'

/** A socket that faults change. */
export type FaultySocket = {
  readonly client: { readonly endpoint: string }
  readonly connection: FaultyConnection<Message>
  readonly caller: Caller | undefined
}

/** The subject of a message. */
export type About = {
  readonly type: string
  readonly symbol: string
  readonly clientOrderId?: string | undefined
}

const factsOf = ({ client: { endpoint } }: FaultySocket, caller: Caller, about?: About): RequestFacts => ({
  now: () => caller.world.clock.now(),
  accountId: caller.kind === 'account' ? caller.accountId : undefined,
  stream: [endpoint === tradeUpdatesPath ? 'trade_updates' : 'market_data', endpoint],
  message: about?.type,
  symbols: about && [about.symbol],
  clientOrderId: about?.clientOrderId,
})

/** How right credentials are refused, if a rule demands it. */
export const refusalByFault = (socket: FaultySocket, caller: Caller) =>
  caller.world.clients.faults &&
  authenticationFault(caller.world.clients.faults, factsOf(socket, caller))?.refusal

/** How a subscription is lost, if a rule demands it. */
export const lossOfSubscription = (socket: FaultySocket, symbols: readonly string[]) =>
  socket.caller?.world.clients.faults &&
  subscriptionFault(socket.caller.world.clients.faults, { ...factsOf(socket, socket.caller), symbols })

/** Applies the rules on connections to one that has authenticated, or only a new rule to one that is open. */
export function meetFaults(socket: FaultySocket, created?: FaultRule): void {
  const { caller } = socket
  if (caller?.world.clients.faults)
    meetConnection(caller.world.clients.faults, socket.connection, factsOf(socket, caller), created)
}

/** Applies the effect of a symbol such as FAULT.CLOSE to the stream that has subscribed to it. */
export function meetSymbols(socket: FaultySocket, symbols: readonly string[]): void {
  for (const symbol of symbols) {
    const effect = streamEffectOfSymbol(symbol)
    if (effect) applyToConnection(socket.connection, { isDeleted: false, nextDraw: () => 0 }, effect)
  }
}

/** Sends a message of a world with rules. */
export function sendFaulty(faults: Faults, socket: FaultySocket, message: Message, about: About): void {
  const { caller } = socket
  if (caller === undefined) return
  const facts = factsOf(socket, caller, about)
  if (socket.client.endpoint !== tradeUpdatesPath && isWithheld(faults, facts)) return
  sendMessage(socket.connection, message, faults.meet('message', facts))
}
