import type { JSX } from 'preact'
import { dayText, nearText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { Card } from '../../parts/card.tsx'
import { ask } from '../../parts/question.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { actingOperator } from '../../session/connections.ts'
import { act } from './act.ts'
import { accountNamed, type Grant, grants, inHeader, userName } from './readings.ts'

/** The consents: which app may do what, with which accounts. */
export function GrantsCard(): JSX.Element {
  return (
    <Card title="Apps with access" beside={<span class="faint small right">last use to the hour</span>}>
      <Shown of={grants} what="the consents">
        {(list) =>
          list.length === 0 ? (
            <Empty
              icon="plug"
              title="No app has access"
              actions={
                <a class="button small" href="docs/guides/oauth">
                  How an app connects
                </a>
              }
            >
              When a person allows an app, its scopes, accounts and last use appear here.
            </Empty>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th>App</th>
                    <th class="wide-only">May</th>
                    <th>Acts for</th>
                    <th class="wide-only">Since</th>
                    <th>Last use</th>
                    <th>
                      <span class="hidden-text">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((grant) => (
                    <Row key={grant.grant_id} of={grant} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
    </Card>
  )
}

const near = (at: string): string => nearText(at, nowMs.peek() ?? Date.now())

function Row({ of }: { readonly of: Grant }): JSX.Element {
  const { name, last_used_at: used, created_at: since } = of
  return (
    <tr data-row tabIndex={-1}>
      <td class="cut">
        <b>{name}</b>
      </td>
      <td class="wide-only">
        <Scopes text={of.scope} />
      </td>
      <td>
        {accountIds(of).map((id) => (
          <div key={id}>
            {accountNamed(id).number} <span class="sub wide-only">{accountNamed(id).name}</span>
          </div>
        ))}
      </td>
      <td class="wide-only faint">{dayText(since)}</td>
      <td>{used === null ? <span class="faint">Never</span> : near(used)}</td>
      <td class="r">
        <button
          data-changes
          type="button"
          class="button small wrong"
          data-end
          onClick={() => void withdraw(of)}
        >
          Withdraw<span class="hidden-text"> {name}</span>
        </button>
      </td>
    </tr>
  )
}

const accountIds = ({ live_account_id: live, paper_account_id: paper }: Grant): readonly string[] =>
  [live, paper].filter((id) => id !== null)

/** Reading is part of every consent. */
export const Scopes = ({ text }: { readonly text: string }): JSX.Element => (
  <span class="scopes">
    {['read', ...text.split(' ').filter((scope) => scope !== '' && scope !== 'general')].map((scope) => (
      <span key={scope} class="chip">
        {scope}
      </span>
    ))}
  </span>
)

async function withdraw(grant: Grant): Promise<void> {
  const { name, tokens, grant_id: id, user_id: user } = grant
  const numbers = accountIds(grant).map((one) => accountNamed(one).number)
  const isSure = await ask({
    title: `Withdraw ${name}?`,
    effect: `The app loses access to ${numbers.join(' and ')} at once: its ${
      tokens.length === 1 ? 'token ends' : `${tokens.length} tokens end`
    } and its open streams close. Its orders stay. To come back, it must ask ${
      user === null ? 'its partner' : userName(user)
    } again.`,
    keep: 'Keep the app',
    confirm: `Withdraw ${name}`,
  })
  if (isSure)
    await act(
      () => actingOperator().client.deleteOAuthGrant({ params: { grant_id: id }, ...inHeader() } as never),
      grants,
    )
}
