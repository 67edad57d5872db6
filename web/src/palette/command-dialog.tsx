import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { codeParts } from '../format/code-parts.ts'
import { useModal } from '../modal.ts'
import { Copy } from '../parts/copy.tsx'
import { Fields, type Values } from '../parts/fields.tsx'
import { ask } from '../parts/question.tsx'
import { serverUrl } from '../session/session.ts'
import { overlay } from '../shell/keys.ts'
import type { Command } from './built-files.ts'
import { callCommand, formFields, startValues } from './command-call.ts'
import { chosenCommand } from './command-choice.ts'

/** A longer form hides what is not required. */
const SHOWN_MAX = 8

/** The form of an operation, and its response. */
export default function CommandDialog(): JSX.Element | null {
  const command = chosenCommand.value
  return command ? <CommandForm key={command.operation} command={command} /> : null
}

const close = (): void => {
  overlay.value = undefined
}

function CommandForm({ command }: { readonly command: Command }): JSX.Element {
  const { title, about, operation, asksFirst, onlyReads } = command
  const dialog = useRef<HTMLDialogElement>(null)
  const [values, change] = useState<Values>(() => startValues(command))
  const [response, setResponse] = useState<string>()
  const [problem, setProblem] = useState<Error>()
  const [isSending, setSending] = useState(false)
  useModal(dialog, close)
  const fields = formFields(command)
  const [needed, others] = [
    fields.filter(({ isRequired }) => isRequired),
    fields.filter(({ isRequired }) => !isRequired),
  ]
  const rest = { values, change, bad: fieldOf(problem, command) }
  const send = async (event: Event) => {
    event.preventDefault()
    if (asksFirst && !(await ask(questionOf(command, values)))) return
    setSending(true)
    setProblem(undefined)
    setResponse(undefined)
    await callCommand(command, values).then(setResponse, setProblem)
    setSending(false)
  }
  return (
    <dialog ref={dialog} class="question command" aria-labelledby="command-title">
      <form onSubmit={(event) => void send(event)}>
        <h2 id="command-title">{title}</h2>
        {about !== undefined && <p class="soft small">{about}</p>}
        <Fields {...rest} fields={needed} />
        {others.length > 0 && (
          <details class="more-fields" open={needed.length + others.length <= SHOWN_MAX}>
            <summary class="link">
              {others.length === 1 ? '1 more field' : `${others.length} more fields`}
            </summary>
            <Fields {...rest} fields={others} />
          </details>
        )}
        {problem && (
          <p class="of-wrong small" role="alert">
            {problem.message}
          </p>
        )}
        {response !== undefined && <Response text={response} />}
        <div class="actions">
          <a
            class="link mono small"
            href={`${serverUrl}/docs/api/${operation}`}
            target="_blank"
            rel="noreferrer"
          >
            {operation}
          </a>
          <button type="button" class="button" onClick={close}>
            Close <kbd>Esc</kbd>
          </button>
          <button type="submit" class={`button ${onlyReads ? 'main' : 'sim'}`} disabled={isSending}>
            {isSending ? 'Sending' : onlyReads ? 'Read' : 'Send'}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** What an operation loses or moves, in the words of its title. */
const questionOf = ({ title, fields }: Command, values: Values) => {
  const named = fields
    .filter(({ part, kind }) => part === 'params' && kind !== 'json')
    .map(({ part, name }) => values[`${part}.${name}`])
    .filter(Boolean)
  return {
    title: `${title}?`,
    effect: `${named.join(', ')} This cannot be undone.`.trim(),
    keep: 'Keep it',
    confirm: title,
  }
}

/** The field that a refusal names: `depth: expected …`. */
function fieldOf(problem: Error | undefined, { fields }: Command): string | undefined {
  const named = /^([\w.]+):/.exec(problem?.message ?? '')?.[1]
  const found = fields.find(({ name }) => name === named)
  return found && `${found.part}.${found.name}`
}

const Response = ({ text }: { readonly text: string }): JSX.Element => (
  <section class="response" aria-label="Response">
    <pre class="code scroll" tabIndex={0}>
      {codeParts(text).map(({ kind, text }, index) => (
        <span key={index} class={kind}>
          {text}
        </span>
      ))}
    </pre>
    <Copy text={text} />
  </section>
)
