import type { JSX } from 'preact'
import { dayText, minuteText, nearText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { ask } from '../../parts/question.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { act } from './act.ts'
import { accountNamed, inPath, type Key, keys, keyWriter, partnerName } from './readings.ts'

/** The keys of the world (or only of the viewer's account, without operator rights), with last use. */
export function KeysCard(): JSX.Element {
  return (
    <Card
      title="API keys"
      beside={<span class="faint small right">last use to the minute, New York time</span>}
    >
      <Shown of={keys} what="the keys">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="key" title="No keys yet">
              A program needs a key id and a secret. Create them with the form “New key”.
            </Empty>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th>Key id</th>
                    <th>Acts for</th>
                    <th class="wide-only">Created</th>
                    <th>Last use</th>
                    <th class="wide-only">Ends</th>
                    <th>
                      <span class="hidden-text">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((key) => (
                    <Row key={key.key_id} of={key} />
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

function Row({ of }: { readonly of: Key }): JSX.Element {
  const { key_id: id, created_at: created, last_used_at: used, expires_at: ends } = of
  return (
    <tr data-row tabIndex={-1}>
      <td>
        <Copy text={id} class="link mono id">
          <span class="wide-only">{id}</span>
          <span class="phone-only">{id.slice(0, 8)}</span>
        </Copy>
      </td>
      <td class="cut">
        <ActsFor of={of} />
      </td>
      <td class="wide-only faint">{`${dayText(created)} ${minuteText(created)}`}</td>
      <td>{used === undefined ? <span class="faint">Never</span> : near(used)}</td>
      <td class="wide-only">{ends === undefined ? <span class="faint">Never</span> : near(ends)}</td>
      <td class="r">
        <button
          data-changes
          type="button"
          class="button small wrong"
          data-end
          onClick={() => void revoke(of)}
        >
          Revoke<span class="hidden-text"> key {id}</span>
        </button>
      </td>
    </tr>
  )
}

const near = (at: string): string => nearText(at, nowMs.peek() ?? Date.now()).replace(/:00$/, '')

function ActsFor({ of }: { readonly of: Key }): JSX.Element {
  if (of.kind === 'operator')
    return (
      <>
        <span class="chip warn">Operator</span> <span class="sub wide-only">every world</span>
      </>
    )
  if (of.kind === 'partner')
    return (
      <>
        <span class="chip">Partner</span> {partnerName(of.partner_id ?? '')}
      </>
    )
  if (of.issuer !== undefined) return <>Issuer {of.issuer}</>
  const { number, name } = accountNamed(of.account_id ?? '')
  return (
    <>
      <b>{number}</b> <span class="sub wide-only">{name}</span>
    </>
  )
}

async function revoke({ key_id: id, kind, last_used_at: used }: Key): Promise<void> {
  const isSure = await ask({
    title: `Revoke the ${kind} key ${id}?`,
    effect: `Programs that use this key get 401 from now on, and its open streams close. ${
      used === undefined ? 'The key was never used.' : `Its last use was at ${near(used)}.`
    }${
      kind === 'operator' ? ' Commands of quipu that use it stop working.' : ' Its orders stay.'
    } A revoked key does not come back.`,
    keep: 'Keep the key',
    confirm: `Revoke ${id.slice(0, 8)}`,
  })
  if (isSure)
    await act(() => keyWriter().client.deleteKey({ params: { ...inPath().params, key_id: id } }), keys)
}
