// A strategy file with colours for its comments, keys, texts and numbers.

import { made } from './page-parts.js'

/** In turn: a comment, a key, a quoted text, a number with its unit. A # within a quoted text begins no comment. */
const token =
  /(?<comment>(?<=^|\s)#.*)|(?<key>^\s*(?:- )?[\w.]+(?=:(?:\s|$)))|(?<text>'[^']*'|"[^"]*")|(?<number>(?<![\w.])\d[\d_.]*%?(?!\w*[a-z_]{3}))/gm

/**
 * @param {string} text
 * @returns {Node[]}
 */
export function yamlNodes(text) {
  /** @type {Node[]} */
  const nodes = []
  let end = 0
  for (const { index, 0: found, groups = {} } of text.matchAll(token)) {
    const [kind = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? []
    nodes.push(document.createTextNode(text.slice(end, index)), made('span', `yaml-${kind}`, found))
    end = index + found.length
  }
  nodes.push(document.createTextNode(text.slice(end)))
  return nodes
}
