/** Asks the cell that it is sent to for its story. */
export const STORY_EVENT = 'quipu-story'

/** Opens the story of the place with the focus: the cell, the row, the fill at the crosshair of the chart, or the chosen row. */
export function openStoryHere(): void {
  const focused = document.activeElement
  const cell =
    focused?.closest('.story-cell') ??
    focused?.closest('tr, li')?.querySelector('.story-cell') ??
    (focused?.matches('.plot') ? document.querySelector('.fill-spot[data-here] .story-cell') : null) ??
    document.querySelector('tr[data-cursor] .story-cell, tr.selected .story-cell')
  cell?.dispatchEvent(new Event(STORY_EVENT))
}
