/** Copies a text. Browsers have no clipboard on plain HTTP except on loopback; there a selection is copied. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  Object.assign(area.style, { position: 'fixed', opacity: '0' })
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
