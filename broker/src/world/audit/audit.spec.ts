import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BANK, type BrokerEvent, type Ledger, USD } from '@quipu/core'
import type { Entry } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { storedEntry } from '../../journal/stored-event.ts'
import { fundedWorld, momentAt } from '../testing/funded-world.ts'
import { type AuditExpectation, auditEvents } from './audit.ts'

async function audited(events: readonly BrokerEvent[], expected: Partial<AuditExpectation> = {}) {
  const entries = events.map((event) => storedEntry(event))
  const journal = openMemoryJournal()
  await journal.append(entries)
  return auditEvents(batched(entries), { ...journal.head(), ...expected })
}

async function* batched(entries: readonly Entry[]): AsyncGenerator<readonly Entry[]> {
  for (let index = 0; index < entries.length; index += 3) yield entries.slice(index, index + 3)
}

test('a consistent journal and ledger are sound', async () => {
  const { events, ledger } = fundedWorld()
  const { sound, seq, postings, balances, problems } = await audited(events, { ledger })
  assert.deepEqual({ sound, problems }, { sound: true, problems: [] })
  assert.deepEqual({ seq, postings, balances }, { seq: events.length, postings: 2, balances: 3 })
})

test('events after the expected number are ignored', async () => {
  const { events } = fundedWorld()
  const upTo = events.length - 1
  const journal = openMemoryJournal()
  await journal.append(events.slice(0, upTo).map((event) => storedEntry(event)))
  const report = await auditEvents(batched(events.map((event) => storedEntry(event))), journal.head())
  assert.deepEqual([report.sound, report.seq, report.hash], [true, upTo, journal.head().hash])
})

const faults: readonly (readonly [
  string,
  (made: ReturnType<typeof fundedWorld>) => Promise<object>,
  RegExp,
])[] = [
  [
    'a hash that does not match the events',
    ({ events }) => audited(events, { hash: 'f' }),
    /^the hash is .*, expected f$/,
  ],
  [
    'missing events',
    ({ events }) => audited(events, { seq: events.length + 1 }),
    /^the journal ends with event \d+, expected \d+$/,
  ],
  [
    'a balance in memory that no posting explains',
    ({ events, ledger }) => audited(events, { ledger: withBank(ledger, 5n) }),
    /^bank USD: 5 in memory, -3000 by postings$/,
  ],
  [
    'a posting that does not balance',
    ({ events }) => audited(events.map((event) => ('posting' in event ? unbalanced(event) : event))),
    /^event \d+: the posting does not balance in USD$/,
  ],
  [
    'an impossible event',
    ({ events }) => audited([...events.slice(0, 2), settlementOfNobody]),
    /^event 3: bug: nobody is not in the state$/,
  ],
  [
    'a session of an unknown user',
    ({ events }) => audited([...events, sessionOfNobody]),
    /^sessions of ghost, who does not exist$/,
  ],
  [
    'a token of an unknown app',
    ({ events }) => audited([...events, tokenOfNoApp(events)]),
    /^grant g is to none, which does not exist$/,
  ],
]

for (const [name, report, problem] of faults) {
  test(`${name} is found`, async () => {
    const { sound, problems } = (await report(fundedWorld())) as { sound: boolean; problems: string[] }
    assert.equal(sound, false)
    assert.match(problems[0]!, problem)
  })
}

const settlementOfNobody = {
  kind: 'accountSettled',
  at: momentAt(0).at,
  accountId: 'nobody',
  date: '2026-01-02',
  posting: [],
} as unknown as BrokerEvent

const sessionOfNobody = {
  kind: 'signedIn',
  at: momentAt(99).at,
  userId: 'ghost',
  sessionId: 's',
  by: 'password',
  sealed: { session: 'd', nowMs: 1, endsAtMs: 2 },
} as unknown as BrokerEvent

function tokenOfNoApp(events: readonly BrokerEvent[]): BrokerEvent {
  const at = momentAt(99).at
  const opened = events.find((event) => event.kind === 'accountOpened')
  const paper = opened?.accountId
  const grant = { id: 'g', appId: 'none', paper, scopes: [], scopeText: '', tokens: [], createdAt: at }
  return { kind: 'tokenIssued', at, accountId: paper, grant, tokenId: 't', sealed: { token: 'd' } } as never
}

function withBank(ledger: Ledger, amount: bigint): Ledger {
  return new Map([...ledger, [BANK, new Map([[USD, amount]])]])
}

const unbalanced = (event: Extract<BrokerEvent, { posting: unknown }>): BrokerEvent =>
  ({ ...event, posting: event.posting.map((leg) => ({ ...leg, amount: 7n })) }) as BrokerEvent
