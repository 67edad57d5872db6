import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { doneSteps } from '../../live/first-steps.ts'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { connect } from '../../session/connections.ts'
import { apiUrl, session } from '../../session/session.ts'
import { type BotLanguage, botPrograms, keyVariables } from './bot-programs.table.ts'
import { homeWorld, programRequests } from './steps-state.ts'

/** How a program reaches this server, and whether one has. */
export function BotStep(): JSX.Element {
  const [key, setKey] = useState<Output<'createKey'>>()
  const [language, setLanguage] = useState<BotLanguage>('curl')
  const [problem, setProblem] = useState<Error>()
  const isDone = doneSteps.value.bot !== undefined
  const createKey = async () => {
    const account = session.peek()?.accounts[0]
    if (!account) return
    const world = homeWorld.peek()
    const { client } = connect({ kind: 'account', world, accountId: account.id })
    await client.createKey({ params: { world }, body: {} }).then(setKey, setProblem)
  }
  if (isDone)
    return (
      <div class="wait green" role="status">
        <Icon name="check" />
        <span>
          <b>Your bot is connected.</b>
          <span class="soft small">Its requests appear beside, as they come.</span>
        </span>
      </div>
    )
  const variables = keyVariables(apiUrl.value, key?.key_id, key?.secret_key)
  const languages = Object.keys(botPrograms) as BotLanguage[]
  const { about, code } = botPrograms[language]
  return (
    <>
      <CodeBlock label="Variables" text={variables} />
      {key === undefined ? (
        <p class="small">
          <button type="button" class="button small" onClick={() => void createKey()}>
            <Icon name="key" /> Create a key for it
          </button>{' '}
          <span class="soft">or use one that you have.</span>
        </p>
      ) : (
        <p class="soft small">The secret is shown only now.</p>
      )}
      {problem && (
        <p class="of-wrong small" role="alert">
          {problem.message}
        </p>
      )}
      <fieldset class="choice" aria-label="Language">
        {languages.map((one) => (
          <button key={one} type="button" aria-pressed={one === language} onClick={() => setLanguage(one)}>
            {one}
          </button>
        ))}
      </fieldset>
      <CodeBlock label={language} text={code} />
      <p class="faint small">{about}</p>
      <div class="wait" role="status">
        <span class="radar" />
        <span>
          <b>{programRequests.value ? 'Waiting for the first request' : 'Reading the requests so far'}</b>
          <span class="faint small">
            with a key, on {new URL(apiUrl.value).host}. You can leave this page.
          </span>
        </span>
      </div>
    </>
  )
}

const CodeBlock = ({ label, text }: { readonly label: string; readonly text: string }): JSX.Element => (
  <div class="code-block">
    <pre class="code scroll" role="region" tabIndex={0} aria-label={label}>
      {text}
    </pre>
    <Copy text={text} class="button small" />
  </div>
)
