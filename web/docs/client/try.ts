import { codeParts } from '../../src/format/code-parts.ts'
import { element, icon, root } from './dom.ts'
import { NoAccess, type Session, sessionOf, tokenOf } from './session.ts'

/** Adds the button that opens the form of an operation, or sends at once an operation that reads and needs no input. */
export function addRunButton(block: HTMLElement, actions: HTMLElement): void {
  const form = block.querySelector<HTMLFormElement>('form.try')
  if (form === null) return
  const needsInput = form.querySelector('input, textarea') !== null || changes(form)
  const run = element(
    'button',
    { type: 'button', className: 'button small main' },
    needsInput ? 'Try it' : 'Run',
  )
  actions.append(run)
  const result = element('div', { className: 'result', attrs: { role: 'status' } })
  form.after(result)
  run.addEventListener('click', () => {
    if (!needsInput) return void send(form, result)
    form.hidden = !form.hidden
    run.setAttribute('aria-expanded', String(!form.hidden))
    if (!form.hidden) {
      form.querySelector<HTMLElement>('input, textarea, button')?.focus()
      prepare(form).catch((error) => result.replaceChildren(problemLine(error)))
    }
  })
  if (needsInput) run.setAttribute('aria-expanded', 'false')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void (changes(form) ? confirmAndSend(form, result) : send(form, result))
  })
}

/** Whether the call changes something. */
const changes = (form: HTMLFormElement): boolean => form.dataset['changes'] !== undefined

/** The session of the reader, if the call needs one. Says for which account the call is; the reader may choose another. */
async function prepare(form: HTMLFormElement): Promise<Session | undefined> {
  const { token } = form.dataset
  if (token === 'none') return undefined
  const session = await sessionOf()
  const slot = form.querySelector<HTMLElement>('.as')!
  const world = form.querySelector<HTMLInputElement>('[name="params.world"]')
  if (world !== null && world.value === world.defaultValue) world.value = session.world
  if (token === 'operator') slot.replaceChildren(`as operator ${session.name}`)
  else if (slot.querySelector('select') === null) slot.replaceChildren('for ', accountChoice(session))
  return session
}

const problemLine = (error: unknown): HTMLElement => {
  const advice = error instanceof NoAccess ? error.advice() : `The server did not answer: ${error}`
  return element('div', { className: 'res bad' }, icon('wrong'), element('span', {}, advice))
}

const accountChoice = ({ accounts }: Session): HTMLElement =>
  element(
    'select',
    { name: 'account', attrs: { 'aria-label': 'Account' } },
    ...accounts
      .toSorted((a, b) => (a.flavour === b.flavour ? 0 : a.flavour === 'paper' ? -1 : 1))
      .map(({ id, account_number, flavour }) =>
        element('option', { value: id }, `${account_number} (${flavour === 'live' ? 'LIVE' : 'paper'})`),
      ),
  )

/** A call that changes something is named and asked for once. The safe button has the focus. */
async function confirmAndSend(form: HTMLFormElement, result: HTMLElement): Promise<void> {
  try {
    await prepare(form)
  } catch (error) {
    return result.replaceChildren(problemLine(error))
  }
  const { method } = form.dataset
  const account = form.querySelector<HTMLSelectElement>('select[name="account"]')
  const changed = account?.selectedOptions[0]?.textContent ?? 'this server'
  const keep = element('button', { type: 'button', className: 'button small' }, 'Do not send')
  const go = element('button', { type: 'button', className: 'button small wrong' }, `Send ${method}`)
  const path = new URL(urlOf(form)).pathname
  const question = element(
    'div',
    { className: 'res ask' },
    element('span', {}, element('b', {}, `${method} ${path}`), ` changes ${changed}.`),
    element('span', { className: 'right' }, keep, ' ', go),
  )
  result.replaceChildren(question)
  keep.addEventListener('click', () => result.replaceChildren())
  go.addEventListener('click', () => void send(form, result))
  keep.focus()
}

/** The URL of the call, with the path and the query of the form. */
function urlOf(form: HTMLFormElement): string {
  const values = new FormData(form)
  const path = form.dataset['path']!.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) =>
    encodeURIComponent(String(values.get(`params.${name}`) ?? '')),
  )
  const url = new URL(root + path.slice(1), location.href)
  for (const [name, value] of values)
    if (name.startsWith('query.') && value !== '')
      url.searchParams.set(name.slice('query.'.length), String(value))
  return url.href
}

async function send(form: HTMLFormElement, result: HTMLElement): Promise<void> {
  const { method = 'GET', token = 'none' } = form.dataset
  result.replaceChildren(element('div', { className: 'res' }, 'Sending …'))
  try {
    const session = await prepare(form)
    const account = new FormData(form).get('account')
    const bearer =
      session &&
      (await tokenOf(session, token, { method, account: account === null ? undefined : String(account) }))
    const body = new FormData(form).get('body')
    const started = performance.now()
    const response = await fetch(urlOf(form), {
      method,
      credentials: 'omit',
      headers: {
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === null ? {} : { body: String(body) }),
    })
    const text = await response.text()
    const ms = performance.now() - started
    const number = session?.accounts.find(({ id }) => id === account)?.account_number
    result.replaceChildren(
      responseLine(response, ms, timelineLink(response, text, number)),
      ...responseBody(text),
    )
  } catch (error) {
    result.replaceChildren(problemLine(error))
  }
}

function responseLine(response: Response, ms: number, more: readonly Node[]): Node {
  const id = response.headers.get('X-Request-ID') ?? ''
  return element(
    'div',
    { className: response.ok ? 'res' : 'res bad' },
    icon(response.ok ? 'check' : 'wrong'),
    element('span', {}, element('b', {}, String(response.status)), ` in ${ms.toFixed(1)} ms`),
    element('span', { className: 'right id', title: `Request id ${id}` }, id.slice(0, 8)),
    ...more,
  )
}

function responseBody(text: string): readonly Node[] {
  if (text === '') return []
  const parts = codeParts(indented(text)).map(({ kind, text }) =>
    kind === undefined ? text : element('span', { className: kind }, text),
  )
  return [element('pre', { className: 'code', tabIndex: 0 }, ...parts)]
}

/** A placed order has a timeline in the dashboard. */
function timelineLink({ ok, url }: Response, text: string, accountNumber = ''): readonly Node[] {
  if (!ok || !new URL(url).pathname.endsWith('/v2/orders') || !text.startsWith('{')) return []
  const href = `${root}orders/${JSON.parse(text).id}?account=${accountNumber}`
  return [element('a', { href }, 'See its timeline')]
}

/** JSON with one field per line; other text unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
