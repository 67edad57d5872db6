import { effect, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { utcText } from '../../format/times.ts'
import { oneAtATime } from '../../live/one-at-a-time.ts'
import { Icon } from '../../parts/icon.tsx'
import { Failed, LoadingNumber } from '../../parts/states.tsx'
import { operator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { legs } from './ledger-state.ts'

type Proof = {
  readonly world: string
  readonly seq: number
  readonly hash: string
  readonly audit: Output<'getWorldStore'>['last_audit']
}

const proof = signal<Proof | undefined>(undefined)
/** The audit that this page ran: it also counts postings and balances. */
const counted = signal<Output<'readAudit'> | undefined>(undefined)
const isChecking = signal(false)
const problem = signal<Error | undefined>(undefined)

/** Reads the head of the journal, and again with new postings. */
function followProof(): () => void {
  return effect(() => {
    if (proof.peek()?.world !== worldName.value) proof.value = undefined
    void legs.value?.length
    readAgain()
  })
}

const readAgain = oneAtATime(readProof)

async function readProof(): Promise<void> {
  const world = worldName.peek()
  const params = { world }
  try {
    const { client } = operator()
    const [head, store] = await Promise.all([
      client.getJournalHead({ params }),
      client.getWorldStore({ params }),
    ])
    if (worldName.peek() !== world) return
    if (counted.peek()?.world !== world) counted.value = undefined
    proof.value = { world, seq: head.seq, hash: head.hash, audit: store.last_audit }
    problem.value = undefined
  } catch (error) {
    problem.value = error as Error
  }
}

/** Recalculates every balance from its postings, and checks the chain of hashes. */
async function audit(): Promise<void> {
  const world = worldName.peek()
  isChecking.value = true
  try {
    counted.value = await operator().client.readAudit({ params: { world } })
    await readProof()
  } catch (error) {
    problem.value = error as Error
  } finally {
    isChecking.value = false
  }
}

/** Whether debits equal credits, with the hash of the journal and the time of the last audit. */
export function ProofLine(): JSX.Element {
  useEffect(() => followProof(), [])
  const known = proof.value
  if (!known)
    return (
      <section class="card proof" aria-label="Proof">
        {problem.value ? (
          <Failed what="the proof" error={problem.value} retry={readAgain} />
        ) : (
          <LoadingNumber width="20rem" />
        )}
      </section>
    )
  const { audit: last } = known
  const isWrong = last?.sound === false
  return (
    <section class={`card proof ${isWrong ? 'wrong' : last ? 'sound' : ''}`} aria-label="Proof">
      <span class="verdict" role="status">
        <Icon name={isWrong ? 'warning' : last ? 'check' : 'scale'} />
        <b>
          {isChecking.value ? 'Checking' : isWrong ? 'Not balanced' : last ? 'Balanced' : 'Not audited yet'}
        </b>
      </span>
      <Counts isSound={last?.sound === true} />
      {last && (
        <span class="faint" title={`${last.at}, by the clock of the machine`}>
          audited up to event {last.seq} at {utcText(last.at).slice(0, 8)} UTC
        </span>
      )}
      <span class="mono faint wide-only" title={`sha-256 ${known.hash}`}>
        journal {known.seq} events · sha-256 {known.hash.slice(0, 8)}…{known.hash.slice(-4)}
      </span>
      <button
        type="button"
        class="button small right"
        disabled={isChecking.value}
        onClick={() => void audit()}
      >
        {last ? 'Audit again' : 'Audit now'}
      </button>
      {isWrong && (
        <ul class="problems">
          {last.problems.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {problem.value && <p class="problems">{problem.value.message}</p>}
    </section>
  )
}

function Counts({ isSound }: { readonly isSound: boolean }): JSX.Element | null {
  const report = counted.value
  if (!isSound) return null
  if (!report) return <span>debits equal credits in every asset</span>
  return (
    <>
      <span>{report.postings} postings, debits equal credits in every asset</span>
      <span>{report.balances} balances recomputed</span>
    </>
  )
}
