import type { FaultName } from './cluster/faults.ts'
import type { Kind } from './whole-world.ts'

/** A deliberate mistake: `from` is in the file exactly once and is replaced by `to`. */
export type Mutation = {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** The simulation that detects it; by default `files`. */
  readonly kind?: Kind | 'tokens' | 'cluster'
  /** A spec that detects it, instead of a simulation: clients of a simulation see no difference, or too rarely. */
  readonly spec?: string
  /** The first run, chosen so that the mistake is detected early. */
  readonly run?: number
  /** The faults that show it in a cluster. Default: any. */
  readonly faults?: readonly FaultName[]
}

/** Each breaks a guarantee in a way that only a fault or an audit shows. */
export const mutations: readonly Mutation[] = [
  {
    name: 'a group is not synced before it is acknowledged',
    file: 'broker/src/journal/append-file.ts',
    from: 'await this.#operations.datasync(this.#file)',
    to: 'await Promise.resolve()',
  },
  {
    name: 'responses leave before the group is stored',
    file: 'broker/src/world/engine.ts',
    from: 'if (seq <= this.#durable) return Promise.resolve({ value, seq })',
    to: 'return Promise.resolve({ value, seq })',
  },
  {
    name: 'events are published before the group is stored',
    file: 'broker/src/world/engine.ts',
    from: 'await this.#parts.journal.append(',
    to: 'this.#parts.committed(group); await this.#parts.journal.append(',
  },
  {
    name: 'events of a sync that failed are not published after the rebuild',
    run: 4,
    file: 'broker/src/world/publisher.ts',
    from: 'if (unpublished.length > 0) this.publish(unpublished)',
    to: 'this.#upTo = head',
  },
  {
    name: 'tokens are not loaded after a restart',
    file: 'broker/src/access/credential-worlds.ts',
    from: 'for (const index of this.#indexes) add(index)',
    to: 'for (const index of this.#indexes) if (index !== this.#tokens) add(index)',
  },
  {
    name: 'a refresh token works twice',
    file: 'core/src/oauth/apply.ts',
    from: "{ ...token, refresh: 'used', usedAt: at }",
    to: 'token',
  },
  {
    name: 'a posting is not booked',
    file: 'core/src/apply.ts',
    from: "if ('posting' in event) post(",
    to: "if ('posting' in event && event.kind !== 'accountSettled') post(",
  },
  {
    name: 'the hash skips some events',
    file: 'broker/src/journal/chain.ts',
    from: 'this.#hash.update(open.subarray(start, end))',
    to: 'if (this.#seq % 9 !== 8) this.#hash.update(open.subarray(start, end))',
  },
  {
    name: 'a torn tail is not cut off',
    run: 57,
    file: 'broker/src/journal/append-file.ts',
    from: 'if (last.tornBytes > 0) await operations.truncate(file, last.end)',
    to: '',
  },
  {
    name: 'the last group is not written again after a failed sync',
    run: 34,
    file: 'broker/src/journal/append-file.ts',
    from: 'await writeAll(operations, file, bytes, from)',
    to: '',
  },
  {
    name: 'the name of a new file is not synced',
    file: 'broker/src/journal/append-file.ts',
    from: 'await operations.syncFolder(folder)\n    return new AppendFile(operations, file, { after, end',
    to: 'return new AppendFile(operations, file, { after, end',
  },
  {
    name: 'a failed sync is reported as certain',
    run: 4,
    file: 'broker/src/journal/files.ts',
    from: '!(cause instanceof UnknownOutcome)',
    to: 'true',
  },
  {
    name: 'a client id is forgotten before the query tables have it',
    file: 'broker/src/world/incarnations.ts',
    from: 'engine.forget(this.archiveReads.min(queryTables.position()))',
    to: 'incarnation.engine.forget(incarnation.engine.durable)',
  },
  {
    name: 'an order is forgotten during a read of the query tables',
    run: 2,
    file: 'broker/src/world/incarnations.ts',
    from: 'engine.forget(this.archiveReads.min(queryTables.position()))',
    to: 'incarnation.engine.forget(incarnation.queryTables.position())',
  },
  {
    name: 'an ended order keeps its hold',
    file: 'core/src/account/holds.ts',
    from: 'holds.money = add(holds.money, money)',
    to: 'if (money > 0n) holds.money = add(holds.money, money)',
  },
  {
    name: 'a short position has the maintenance margin of a long one',
    run: 4,
    file: 'core/src/account/margin.ts',
    from: "return max(forShares, share(worthOf(price, size, 'up'), percent, 100n, 'up'))",
    to: "return forShares && share(worthOf(price, size, 'up'), percent, 100n, 'up')",
  },
  {
    name: 'fees are still owed after they were booked',
    file: 'core/src/account/apply.ts',
    from: 'state.fees.delete(accountId)',
    to: 'void state',
  },
  {
    name: 'a split does not change open orders',
    run: 7,
    file: 'core/src/actions/orders.ts',
    from: "return isReverse(action) ? 'cancel' : split(action, order)",
    to: "return isReverse(action) ? 'cancel' : void split(action, order)",
  },
  {
    name: 'a corrupted snapshot is used',
    run: 13,
    file: 'broker/src/query-tables/snapshot/snapshot.ts',
    from: `return this.#line?.toString('latin1') === \`\${this.#sum.digest('hex')}\\n\` ? this.#state.state : undefined`,
    to: 'return this.#state.state',
  },
  {
    name: 'tokens that are redeemed are not burned',
    run: 3,
    file: 'core/src/tokenization/redeem.ts',
    from: '...sharePosting(moved), ...burnPosting(request)',
    to: '...sharePosting(moved)',
    kind: 'tokens',
  },
  {
    name: 'a mint that fails after a split returns the number of shares from before the split',
    run: 31,
    file: 'core/src/tokenization/share-moves.ts',
    from: 'const quantity = subtract(sharesBehind(multiplier, before), sharesBehind(multiplier, after))',
    to: 'const { quantity } = request',
    kind: 'tokens',
  },
  {
    name: 'a split ignores tokens of pending mints',
    run: 3,
    file: 'core/src/tokenization/custody.ts',
    from: 'const total = sharesBehind(after, outstandingTokens(view, issuer, underlying))',
    to: 'const total = sharesBehind(after, outstandingTokens({ ...view, requests: new Map() }, issuer, underlying))',
    kind: 'tokens',
  },
  {
    name: 'redeemed tokens stay in their wallets, in a whole world',
    file: 'core/src/tokenization/redeem.ts',
    from: '[...sharePosting(moved), ...burnPosting(request)]',
    to: '[...sharePosting(moved)]',
  },
  {
    name: 'a redeem holds shares of the participant instead of the issuer',
    run: 5,
    file: 'core/src/tokenization/apply.ts',
    from: "request.kind === 'mint' ? request.accountId : found(request.custodyId, 'the custody account')",
    to: 'request.accountId',
  },
  {
    name: 'an append does not check the lease',
    file: 'broker/src/journal/postgres/journal.ts',
    from: 'WHERE world = $1 AND fence = $2 AND seq = $3',
    to: 'WHERE world = $1 AND seq = $3',
    kind: 'postgres',
  },
  {
    name: 'an append accepts an older lease',
    file: 'broker/src/journal/postgres/journal.ts',
    from: 'AND fence = $2',
    to: 'AND fence >= $2',
    kind: 'postgres',
  },
  {
    name: 'an engine continues after its world was taken over',
    file: 'broker/src/world/incarnations.ts',
    from: 'isWanted: () => !this.#incarnation && !this.isOver',
    to: 'isWanted: () => !this.#incarnation',
    kind: 'postgres',
  },
  {
    name: 'an older engine takes its world back',
    run: 46,
    file: 'broker/src/journal/postgres/lease.ts',
    from: 'const isKnown = holder.fence > 0',
    to: 'const isKnown = false',
    kind: 'postgres',
  },
  {
    name: 'an idle engine does not notice that its world was taken over',
    run: 4,
    file: 'broker/src/journal/postgres/renewals.ts',
    from: 'setInterval(() => this.#start(), RENEW_MS)',
    to: 'setInterval(() => undefined, RENEW_MS)',
    kind: 'postgres',
  },
  {
    name: 'PostgreSQL may acknowledge a commit before it is durable',
    run: 4,
    file: 'broker/src/postgres/connection.ts',
    from: 'await client.query(sessionSettings(timeoutMs))',
    to: '',
    kind: 'postgres',
  },
  {
    name: 'a lost response of PostgreSQL is reported as certain',
    run: 28,
    file: 'broker/src/journal/postgres/journal.ts',
    from: 'const certain = await isRefusal(connection, cause)',
    to: 'const certain = true',
    kind: 'postgres',
  },
]
