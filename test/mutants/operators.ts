import { parseAst } from 'vitest/node'

/** One small change of a source text, as the mutation testing tool Stryker makes them. */
export type Mutation = {
  operator: string
  start: number
  end: number
  to: string
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const binary: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
}
const logical: Readonly<Record<string, string>> = { '&&': '||', '||': '&&', '??': '&&' }
const assignments: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '||=': '&&=',
  '&&=': '||=',
  '??=': '&&=',
}
const updates: Readonly<Record<string, string>> = { '++': '--', '--': '++' }

/** Methods with an opposite: those of arrays and texts, and the comparisons and operations of Decimal. */
const methods: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['min', 'max'],
    ['floor', 'ceil'],
    ['some', 'every'],
    ['startsWith', 'endsWith'],
    ['plus', 'minus'],
    ['times', 'div'],
    ['gt', 'gte'],
    ['lt', 'lte'],
  ].flatMap(([one = '', other = '']) => [
    [one, other],
    [other, one],
  ]),
)

/** Expressions of TypeScript that hold an ordinary one; every other node of TypeScript is a type. */
const wrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

/** All mutations of a source file, in the order of the file. */
export function mutationsOf(text: string): Mutation[] {
  const found: Mutation[] = []
  const add = (operator: string, { start, end }: { start: number; end: number }, to: string) =>
    found.push({ operator, start, end, to })
  const textOf = ({ start, end }: Node) => text.slice(start, end)
  /** The operator between two nodes. */
  const between = (left: Node, right: Node, operator: string) => {
    const start = text.indexOf(operator, left.end)
    return start !== -1 && start < right.start ? { start, end: start + operator.length } : undefined
  }

  const visit = (node: Node, parent: Node | undefined): void => {
    if (wrappers.has(node.type)) return visit(nodeAt(node, 'expression'), node)
    if (node.type.startsWith('TS') || node.type === 'ImportDeclaration') return
    for (const [operator, place, to] of own(node, parent)) add(operator, place, to)
    for (const [name, value] of Object.entries(node)) {
      if (name === 'source' || (name === 'key' && node['computed'] !== true)) continue
      for (const child of [value].flat()) if (isNode(child)) visit(child, node)
    }
  }

  function* own(
    node: Node,
    parent: Node | undefined,
  ): Generator<[string, { start: number; end: number }, string]> {
    switch (node.type) {
      case 'IfStatement':
      case 'ConditionalExpression':
        yield ['condition', nodeAt(node, 'test'), 'true']
        yield ['condition', nodeAt(node, 'test'), 'false']
        return
      case 'WhileStatement':
      case 'ForStatement':
        if (isNode(node['test'])) yield ['condition', node['test'], 'false']
        return
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression': {
        const [left, right, operator] = [
          nodeAt(node, 'left'),
          nodeAt(node, 'right'),
          String(node['operator']),
        ]
        const place = between(left, right, operator)
        if (!place) return
        if (node.type === 'AssignmentExpression') {
          if (assignments[operator]) yield ['assignment', place, assignments[operator]]
        } else if (node.type === 'LogicalExpression') {
          if (logical[operator]) yield ['logic', place, logical[operator]]
        } else if (!(operator === '+' && [left, right].some(isText))) {
          for (const to of binary[operator] ?? [])
            yield [/[<>=]/.test(operator) ? 'comparison' : 'arithmetic', place, to]
          const isWhole = parent?.['test'] === node
          if (/[<>=]/.test(operator) && !isWhole)
            for (const to of ['true', 'false']) yield ['condition', node, to]
        }
        return
      }
      case 'UnaryExpression':
        if (node['operator'] === '!' || node['operator'] === '-')
          yield ['negation', node, textOf(nodeAt(node, 'argument'))]
        return
      case 'UpdateExpression': {
        const argument = nodeAt(node, 'argument')
        const to = updates[String(node['operator'])] ?? ''
        yield ['update', node, node['prefix'] === true ? to + textOf(argument) : textOf(argument) + to]
        return
      }
      case 'Literal':
        if (typeof node['value'] === 'boolean') yield ['boolean', node, String(!node['value'])]
        if (typeof node['value'] === 'string' && node['regex'] === undefined)
          yield ['text', node, node['value'] === '' ? "'mutant'" : "''"]
        return
      case 'TemplateLiteral':
        if (parent?.type !== 'TaggedTemplateExpression') yield ['text', node, '``']
        return
      case 'ArrayExpression':
        yield ['list', node, isEmpty(node['elements']) ? "['mutant']" : '[]']
        return
      case 'ObjectExpression':
        if (!isEmpty(node['properties'])) yield ['object', node, '{}']
        return
      case 'ArrowFunctionExpression':
        if (nodeAt(node, 'body').type !== 'BlockStatement')
          yield ['function', nodeAt(node, 'body'), 'undefined']
        return
      case 'BlockStatement':
        if (parent && /Function/.test(parent.type) && !isEmpty(node['body'])) yield ['function', node, '{}']
        return
      case 'ExpressionStatement':
        yield ['statement', node, '{}']
        return
      case 'CallExpression': {
        const callee = nodeAt(node, 'callee')
        if (callee.type !== 'MemberExpression' || callee['computed'] === true) return
        const property = nodeAt(callee, 'property')
        const to = Object.hasOwn(methods, textOf(property)) ? methods[textOf(property)] : undefined
        if (to) yield ['method', property, to]
        return
      }
      case 'MemberExpression': {
        if (node['optional'] !== true) return
        const place = between(nodeAt(node, 'object'), { ...node, start: node.end }, '?.')
        if (place) yield ['optional', place, node['computed'] === true ? '' : '.']
      }
    }
  }

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a tree of nodes, whatever their kinds
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, undefined)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function nodeAt(node: Node, name: string): Node {
  const child = node[name]
  if (!isNode(child)) throw new TypeError(`${node.type} has no ${name}`)
  return child
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0
}

function isText(node: Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string')
}
