import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { durationText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Shown } from '../../parts/shown.tsx'
import { actingOperator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { isAuditor } from '../../session/session.ts'
import { issuers } from './live-requests.ts'

type Issuer = Output<'listIssuers'>[number]
type Behaviour = NonNullable<Issuer['behaviour']>

/** An issuer that was never changed completes at once. */
const usual: Behaviour = { outcome: 'complete', delay_seconds: 0, late_seconds: 3600, wallets: {} }

const delays = [0, 30, 300] as const
const others = {
  reject: 'Reject at once',
  reject_late: 'Reject after shares moved',
  hold: 'Hold until released',
  never: 'Never send tokens',
} as const

const keyOf = ({
  outcome,
  delay_seconds: delay,
  late_seconds: late,
}: Pick<Behaviour, 'outcome' | 'delay_seconds' | 'late_seconds'>): string =>
  outcome === 'complete' ? `complete ${delay}` : outcome === 'late' ? `late ${late}` : outcome

/** The choices for an issuer; its own times are among them. */
function choicesOf({ delay_seconds: delay, late_seconds: late }: Behaviour): ReadonlyMap<string, string> {
  const after = (seconds: number) => durationText(seconds * 1000)
  const times = [...new Set([...delays, delay])].toSorted((a, b) => a - b)
  return new Map([
    ...times.map(
      (one) => [`complete ${one}`, one === 0 ? 'Complete at once' : `Complete after ${after(one)}`] as const,
    ),
    ...Object.entries(others),
    [`late ${late}`, `Send tokens late, after ${after(late)}`] as const,
  ])
}

/** How the built-in issuers answer from the next request on. */
export const IssuersCard = (): JSX.Element => (
  <Card title="What issuers do" beside={<span class="chip sim right">from the next request</span>}>
    <Shown of={issuers} what="the issuers" rows={2}>
      {(all) => (
        <div class="body stack">
          {all.map((issuer) => (
            <IssuerControl key={issuer.issuer} issuer={issuer} />
          ))}
        </div>
      )}
    </Shown>
  </Card>
)

function IssuerControl({ issuer }: { readonly issuer: Issuer }): JSX.Element {
  const id = useId()
  const [problem, setProblem] = useState<Error>()
  const behaviour = issuer.mode === 'builtin' ? (issuer.behaviour ?? usual) : undefined
  const change = async (key: string) => {
    const [outcome, seconds] = key.split(' ')
    setProblem(undefined)
    await actingOperator()
      .client.changeIssuer({
        params: { world: worldName.peek(), issuer: issuer.issuer },
        body: {
          ...behaviour,
          outcome: outcome as Behaviour['outcome'],
          ...(outcome === 'complete' && { delay_seconds: Number(seconds) }),
        },
      })
      .catch(setProblem)
    await issuers.read()
  }
  const byWallet = Object.keys(behaviour?.wallets ?? {}).length
  return (
    <div class="issuer">
      <label for={id}>
        <b>{issuer.name}</b>
      </label>
      {behaviour ? (
        <span class="input">
          <select
            id={id}
            value={keyOf(behaviour)}
            disabled={isAuditor.value}
            title={isAuditor.value ? 'An auditor changes nothing' : undefined}
            onChange={({ currentTarget }) => void change(currentTarget.value)}
          >
            {[...choicesOf(behaviour)].map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      ) : (
        <span id={id} class="soft small cut-text">
          external{issuer.mint_url !== undefined && `: ${issuer.mint_url}`}
        </span>
      )}
      {byWallet > 0 && <p class="faint small">{byWallet} wallets have other outcomes.</p>}
      {problem && <Problem title="The issuer did not change" error={problem} />}
    </div>
  )
}
