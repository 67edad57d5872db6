import { copyButton } from './copy.ts'
import { element } from './dom.ts'
import { addRunButton } from './try.ts'

const KEY = 'quipu-docs-language'

/** Makes tabs from the languages in each example. The choice holds for all examples and later pages. */
export function makeTabs(): void {
  for (const [index, block] of document.querySelectorAll<HTMLElement>('.tabbed').entries())
    makeTabbed(block, index)
  choose(storedLanguage() ?? 'curl')
}

function makeTabbed(block: HTMLElement, index: number): void {
  const panels = [...block.querySelectorAll<HTMLElement>('section')]
  const list = element('div', {
    className: 'tablist',
    attrs: { role: 'tablist', 'aria-label': 'Language' },
  })
  for (const panel of panels) {
    const language = panel.getAttribute('aria-label')!
    panel.id = `example-${index}-${language.toLowerCase()}`
    panel.setAttribute('role', 'tabpanel')
    panel.querySelector('.lang')?.remove()
    const tab = element(
      'button',
      { type: 'button', attrs: { role: 'tab', 'aria-controls': panel.id } },
      language,
    )
    tab.addEventListener('click', () => choose(language))
    list.append(tab)
  }
  list.addEventListener('keydown', moveBetweenTabs)
  const shown = (): string => panels.find(({ hidden }) => !hidden)?.querySelector('pre')?.textContent ?? ''
  const actions = element('div', { className: 'actions' }, copyButton(shown))
  block.prepend(element('div', { className: 'tabs' }, list, actions))
  addRunButton(block, actions)
}

function moveBetweenTabs(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]')]
  const at = tabs.indexOf(document.activeElement as HTMLElement)
  if (step === undefined || at < 0) return
  const next = tabs[(at + step + tabs.length) % tabs.length]!
  next.focus()
  choose(next.textContent!)
}

function choose(language: string): void {
  for (const block of document.querySelectorAll('.tabbed')) {
    for (const panel of block.querySelectorAll<HTMLElement>('[role="tabpanel"]'))
      panel.hidden = panel.getAttribute('aria-label') !== language
    for (const tab of block.querySelectorAll<HTMLElement>('[role="tab"]')) {
      const isChosen = tab.textContent === language
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
    }
  }
  try {
    localStorage.setItem(KEY, language)
  } catch {
    // Without storage the choice ends with the page.
  }
}

function storedLanguage(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
