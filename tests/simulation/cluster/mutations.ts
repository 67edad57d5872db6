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
    from: "if (asked.kind === 'broken') throw new OutcomeUnknown(asked.error)",
    to: "if (asked.kind === 'broken') throw new NotApplied('worldRestarting')",
    kind: 'cluster',
    faults: ['peersCut', 'answersLost'],
  },
  {
    name: 'a request is forwarded again after its connection broke',
    run: 2,
    file: 'server/src/http/forwarding/forward.ts',
    from: "if (asked.kind === 'broken') throw new OutcomeUnknown(asked.error)",
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
    run: 17,
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
]
