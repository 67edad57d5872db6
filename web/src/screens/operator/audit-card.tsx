import type { JSX } from 'preact'
import { nearText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { countText } from './metrics.ts'
import { type Audit, audit, type Store, store } from './readings.ts'

/** The last audit of the world: are all balances the sum of their postings, and is the journal unchanged? */
export function AuditCard(): JSX.Element {
  const isRunning = audit.isRunning.value
  return (
    <Card
      title="Audit"
      beside={
        <button
          type="button"
          class="button small main right"
          disabled={isRunning}
          onClick={() => void audit.run()}
        >
          {isRunning ? 'Checking' : 'Run audit'}
        </button>
      }
    >
      {audit.problem.value && (
        <div class="body">
          <Problem title="The audit did not finish" error={audit.problem.value} />
        </div>
      )}
      <Shown of={store} what="the last audit">
        {(state) =>
          state.last_audit === undefined ? (
            <Empty icon="scale" title="No audit since the start of the server">
              An audit calculates every balance again from its postings and verifies the hash chain.
            </Empty>
          ) : (
            <LastAudit of={state.last_audit} store={state} result={audit.result.value} />
          )
        }
      </Shown>
    </Card>
  )
}

type LastAuditProps = {
  readonly of: NonNullable<Store['last_audit']>
  readonly store: Store
  readonly result: Audit | undefined
}

function LastAudit({ of: { at, sound, seq, problems }, store, result }: LastAuditProps): JSX.Element {
  const later = store.seq - seq
  return (
    <div class="body stack">
      <div class={`note ${sound ? 'tint' : 'wrong'}`} role={sound ? 'status' : 'alert'}>
        <Icon name={sound ? 'check' : 'warning'} />
        <b>{sound ? 'Balanced' : 'Not balanced'}</b>
        <p>
          {countText(seq)} events checked at {nearText(at, Date.now())}
          {later > 0 && `, ${countText(later)} since then`}
        </p>
      </div>
      {problems.length > 0 && (
        <ul class="of-wrong audit-problems">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {result && result.seq === seq && (
        <dl class="pairs">
          <dt>Postings</dt>
          <dd>{countText(result.postings)}</dd>
          <dt>Balances</dt>
          <dd>{countText(result.balances)}</dd>
          <dt>Journal hash</dt>
          <dd>
            <Copy text={result.hash} class="link mono id">
              {result.hash.slice(0, 12)}
            </Copy>
          </dd>
        </dl>
      )}
    </div>
  )
}
