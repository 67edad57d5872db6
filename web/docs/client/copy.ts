import { copyText } from '../../src/parts/copy-text.ts'
import { element, icon } from './dom.ts'

/** A button that copies the text that is shown when it is pressed. */
export function copyButton(text: () => string): HTMLButtonElement {
  const label = element('span', {}, 'Copy')
  const button = element('button', { type: 'button', className: 'button small bare' }, icon('copy'), label)
  button.addEventListener('click', async () => {
    await copyText(text())
    label.textContent = 'Copied'
    setTimeout(() => (label.textContent = 'Copy'), 1500)
  })
  return button
}

/** Adds the button to each block of code that is not part of a tabbed example. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.blk:not(.tabbed)')) {
    const code = block.querySelector('pre')
    if (code === null) continue
    const button = copyButton(() => code.textContent)
    button.classList.add('over')
    block.append(button)
  }
}
