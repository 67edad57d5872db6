import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { nowMs } from '../../live/clock.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { account, worldName } from '../../session/selection.ts'
import { apiUrl, isOperator } from '../../session/session.ts'
import { OnceCard } from './once.tsx'
import { inPath, keys, keyWriter, knownAccounts, partners } from './readings.ts'

const kinds = { account: 'Account', partner: 'Partner', operator: 'Operator', auditor: 'Auditor' } as const
type Kind = keyof typeof kinds
type Created = Output<'createKey'>

const DAY_MS = 86_400_000
const lifetimes = [
  ['', 'Never'],
  ['1', 'After 1 day'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
  ['365', 'After 1 year'],
] as const

/** Creates a key; its secret is shown once. */
export function NewKey(): JSX.Element {
  const [created, setCreated] = useState<Created>()
  const place = `${worldName.value} ${account.value?.id}`
  useEffect(() => setCreated(undefined), [place])
  return created ? <CreatedKey of={created} done={() => setCreated(undefined)} /> : <Form done={setCreated} />
}

function Form({ done }: { readonly done: (created: Created) => void }): JSX.Element {
  const [kind, setKind] = useState<Kind>('account')
  const [owner, setOwner] = useState('')
  const [days, setDays] = useState('')
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<Error>()
  useLayoutEffect(() => addKeys('Apps and keys', { a: focusForm }), [])
  const create = async (event: Event) => {
    event.preventDefault()
    setSending(true)
    try {
      done(await keyWriter().client.createKey({ ...inPath(), body: bodyOf(kind, owner, days) as never }))
      void keys.read()
    } catch (error) {
      setProblem(error as Error)
      setSending(false)
    }
  }
  return (
    <Card title="New key">
      <form class="body stack" onSubmit={create}>
        {isOperator.value ? (
          <>
            <Kinds
              chosen={kind}
              choose={(one) => {
                setKind(one)
                setOwner('')
              }}
            />
            <Owner kind={kind} value={owner} set={setOwner} />
          </>
        ) : (
          <p class="faint small">
            For account <b>{account.value?.number}</b>. The key can trade and read as you can with this
            account.
          </p>
        )}
        <label class="field">
          Ends
          <span class="input">
            <select
              id="new-key-end"
              value={days}
              onChange={({ currentTarget }) => setDays(currentTarget.value)}
            >
              {lifetimes.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
        </label>
        {problem && <Problem title="The key was not created" error={problem} />}
        <button type="submit" class="button main wide" disabled={isSending}>
          {isSending ? 'Creating' : 'Create key'}
        </button>
      </form>
    </Card>
  )
}

/** The first field of the form. */
const focusForm = (): void =>
  (document.getElementById('new-key-owner') ?? document.getElementById('new-key-end'))?.focus()

type KindsProps = { readonly chosen: Kind; readonly choose: (kind: Kind) => void }

const Kinds = ({ chosen, choose }: KindsProps): JSX.Element => (
  <div class="choice fill" role="group" aria-label="Kind of key">
    {(Object.keys(kinds) as Kind[]).map((one) => (
      <button key={one} type="button" aria-pressed={chosen === one} onClick={() => choose(one)}>
        {kinds[one]}
      </button>
    ))}
  </div>
)

type OwnerProps = { readonly kind: Kind; readonly value: string; readonly set: (id: string) => void }

function Owner({ kind, value, set }: OwnerProps): JSX.Element {
  const options =
    kind === 'account'
      ? knownAccounts.value.map(({ id, number, name }) => ({
          id,
          text: name === '' ? number : `${number} · ${name}`,
        }))
      : (partners.value.value ?? []).map(({ partner_id: id, name }) => ({ id, text: name }))
  return (
    <label class="field">
      {kind === 'account' ? 'Account' : 'Partner'}
      <span class="input">
        <select id="new-key-owner" value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
          <option value="">The first one of the world</option>
          {options.map(({ id, text }) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
      {kind === 'operator' && <span class="of-warn">An operator key controls every world.</span>}
      {kind === 'auditor' && (
        <span class="soft small">An auditor key reads every world and changes nothing.</span>
      )}
    </label>
  )
}

function bodyOf(kind: Kind, owner: string, days: string): object {
  const now = nowMs.peek() ?? Date.now()
  return {
    kind,
    ...(owner !== '' && { [kind === 'account' ? 'account_id' : 'partner_id']: owner }),
    ...(days !== '' && { expires_at: new Date(now + Number(days) * DAY_MS).toISOString() }),
  }
}

const CreatedKey = ({ of, done }: { readonly of: Created; readonly done: () => void }): JSX.Element => (
  <OnceCard
    title="New key"
    rows={[
      ['Key id', of.key_id],
      ['Secret', of.secret_key ?? ''],
    ]}
    copyAll={{ label: 'Copy as variables', text: variablesOf(of) }}
    done={done}
  >
    The secret is shown only now. Copy it before you leave.
  </OnceCard>
)

const variablesOf = ({ key_id: id, secret_key: secret, kind }: Created): string =>
  kind === 'account'
    ? `export APCA_API_KEY_ID=${id}\nexport APCA_API_SECRET_KEY=${secret}\nexport APCA_API_BASE_URL=${apiUrl.value}\n`
    : `export QUIPU_BROKER_KEY=${id}\nexport QUIPU_BROKER_SECRET=${secret}\nexport QUIPU_URL=${apiUrl.value}\n`
