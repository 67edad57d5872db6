import type { Mutation } from '../mutations.ts'

/** Mistakes that only a cluster with faults shows. */
export const clusterMutations: readonly Mutation[] = [
  {
    name: 'an append of a node that lost its world is stored',
    run: 3,
    file: 'server/src/journal/postgres.ts',
    from: 'WHERE world = $1 AND fence = $2 AND seq = $3',
    to: 'WHERE world = $1 AND seq = $3',
    kind: 'cluster',
    faults: ['databaseLate'],
  },
  {
    name: 'a node answers after its lease has ended',
    run: 4,
    file: 'server/src/journal/postgres.ts',
    from: 'return !this.closedBecause && this.leaseAgeMs() <= ANSWER_MS',
    to: 'return !this.closedBecause',
    kind: 'cluster',
    faults: ['databaseSilentForReads'],
  },
  {
    name: 'a world is claimed by the clock of the database alone',
    file: 'server/src/cluster/table-view.ts',
    from: '(leaseMs === undefined || nowMs - sinceMs > ANSWER_MS)',
    to: 'nowMs >= sinceMs',
    kind: 'cluster',
    faults: ['databaseClockAhead'],
  },
  {
    name: 'a lease of another clock is not shortened',
    file: 'server/src/cluster/table-view.ts',
    from: 'await shortenLeases(this.#parts.queries())',
    to: 'void shortenLeases',
    kind: 'cluster',
    faults: ['databaseClockBehind'],
  },
  {
    name: 'a lease is renewed by a read',
    run: 3,
    file: 'server/src/journal/postgres-lease.ts',
    from: 'return new Set((await write(connection, renewal)).rows.map(({ world }) => world))',
    to: `void renewal
  const latest = new Set<string>()
  for (const { world, fence } of held) if (await isLatest(connection, world, fence)) latest.add(world)
  return latest`,
    kind: 'cluster',
    faults: ['idle'],
  },
  {
    name: 'a forwarded request that was sent and not answered gets 503',
    run: 2,
    file: 'server/src/http/forwarding/forward.ts',
    from: "if (asked.kind === 'broken' && !isRead) throw new OutcomeUnknown(asked.error)",
    to: "if (asked.kind === 'broken' && !isRead) throw new NotApplied('worldRestarting')",
    kind: 'cluster',
    faults: ['peersCut', 'answersLost'],
  },
  {
    name: 'a request is forwarded again after its connection broke',
    run: 2,
    file: 'server/src/http/forwarding/forward.ts',
    from: "if (asked.kind === 'broken' && !isRead) throw new OutcomeUnknown(asked.error)",
    to: '',
    kind: 'cluster',
    faults: ['peersCut', 'answersLost'],
  },
  {
    name: 'a journal to another world is received twice',
    run: 7,
    file: 'core/src/account/partner/transit.ts',
    from: 'if (answerTo(view, transitId, earlier)) return ok([])',
    to: '',
    kind: 'cluster',
    faults: ['peersCut', 'answersLost'],
  },
  {
    name: 'a journal returns to its sender when the other node does not answer',
    run: 5,
    file: 'server/src/cluster/journals.ts',
    from: "const answered = await askNode(asking, 'receive', { world, request: encode(request) })",
    to: `const answered = await askNode(asking, 'receive', { world, request: encode(request) }).catch(() => undefined)
  if (!answered) return { ok: false, reason: 'no answer' }`,
    kind: 'cluster',
    faults: ['peersCut', 'answersLost'],
  },
  {
    name: 'a stream continues one update late on the next node',
    run: 3,
    file: 'server/src/streams/resume-updates.ts',
    from: 'if (update.seq > after) send(',
    to: 'if (update.seq > after + 1) send(',
    kind: 'cluster',
    faults: ['move', 'pause'],
  },
  {
    name: 'a follower skips a change after a failure',
    run: 40,
    file: 'server/src/worlds/following.ts',
    from: 'this.#read = 0\n      if',
    to: 'this.#read += 1\n      if',
    kind: 'cluster',
    faults: ['databaseSilent', 'databaseCut'],
  },
  {
    name: 'a stream does not notice that the connection to its holder is lost',
    file: 'server/src/streams/relay.ts',
    from: 'if (this.#isLate || isElsewhere || this.#isSilent)',
    to: 'if (this.#isLate || isElsewhere)',
    kind: 'cluster',
    faults: ['peersSilent'],
  },
  {
    name: 'the lease counts from the answer to an append',
    file: 'server/src/journal/postgres.ts',
    from: 'this.chain = next\n    this.#sent(sentMs)',
    to: 'this.chain = next\n    this.#sent(this.#nowMs())',
    spec: 'server/src/journal/lease-times.spec.ts',
  },
  {
    name: 'the lease counts from the answer to a renewal',
    file: 'server/src/journal/postgres-renewals.ts',
    from: 'if (renewed.has(world)) journal.renewed(sentMs)',
    to: 'if (renewed.has(world)) journal.renewed(this.#nowMs())',
    spec: 'server/src/journal/lease-times.spec.ts',
  },
  {
    name: 'a late append is acknowledged without a renewal of the lease',
    file: 'server/src/journal/postgres.ts',
    from: 'if (!this.isCurrentHolder()) await this.#renewLate()',
    to: '',
    spec: 'server/src/journal/lease-times.spec.ts',
  },
  {
    name: 'a world is handed over while its requests run',
    file: 'server/src/cluster/moves.ts',
    from: 'if (await this.#admission.close(world, BEGUN_MS)) return',
    to: 'void this.#admission.close(world, BEGUN_MS)\n      return',
    spec: 'server/src/cluster/moves.spec.ts',
  },
  {
    name: 'a journal without the last published event is accepted',
    file: 'server/src/world/incarnation.ts',
    from: 'if (published !== undefined && end < published) {',
    to: 'if (published !== undefined && end < published - 1) {',
    spec: 'server/src/world/rebuild.spec.ts',
  },
  {
    name: 'a stream repeats its last update on the next node',
    file: 'server/src/streams/resume-updates.ts',
    from: 'if (update.seq > after) send(',
    to: 'if (update.seq >= after) send(',
    kind: 'cluster',
    faults: ['move', 'pause'],
  },
  {
    name: 'a node opens a world again that it has claimed by itself',
    file: 'server/src/cluster/claims.ts',
    from: 'if (this.#parts.isLive(world)) return\n',
    to: '\n',
    spec: 'server/src/cluster/claims.spec.ts',
  },
  {
    name: 'the lease is not kept while a world is reset or deleted',
    file: 'server/src/journal/postgres.ts',
    from: 'if (!this.#parts.onlyFree) await this.#release()',
    to: 'await this.#release()',
    spec: 'server/src/journal/lease-times.spec.ts',
  },
  {
    name: 'a deletion removes whatever world has the name by now',
    file: 'server/src/start/durable-postgres.ts',
    from: `leased.whileHeld(journal, async (connection) => {
        const values = [world, code, journal]
        await connection.query({ text: deleteRecord, values })
      }),`,
    // Each answer of the database is a moment at which the process may stop.
    to: `query('SELECT code FROM quipu_worlds')
        .then(() => query('SELECT code FROM quipu_worlds'))
        .then(() => query('DELETE FROM quipu_worlds WHERE world = $1', [world]))
        .then(() => undefined),`,
    kind: 'cluster',
    faults: ['stallWhileDeleting'],
  },
  {
    name: 'a deletion removes the journal before the record',
    file: 'server/src/worlds/durable.ts',
    from: 'await this.#storage.deleteRecord(',
    to: 'await this.deleteJournal()\n    await this.#storage.deleteRecord(',
    spec: 'server/src/worlds/durable.spec.ts',
  },
]
