#!/usr/bin/env bash
# CommonMark: **Code (CO)**'s closes before the apostrophe only with a mark that Lexical does not write; it exports escaped asterisks.
cd "$FINDING" && npm install --silent --no-audit --no-fund lexical@0.52.0 @lexical/headless@0.52.0 @lexical/markdown@0.52.0 @lexical/rich-text@0.52.0 @lexical/list@0.52.0 @lexical/link@0.52.0 @lexical/code@0.52.0 >/dev/null || exit 1
cat >write.mjs <<'JS'
import { createHeadlessEditor } from '@lexical/headless';
import { $convertFromMarkdownString, $convertToMarkdownString, TRANSFORMERS } from '@lexical/markdown';
import { HeadingNode, QuoteNode } from '@lexical/rich-text';
import { ListItemNode, ListNode } from '@lexical/list';
import { LinkNode } from '@lexical/link';
import { CodeNode } from '@lexical/code';
const editor = createHeadlessEditor({ nodes: [HeadingNode, QuoteNode, ListNode, ListItemNode, LinkNode, CodeNode] });
editor.update(() => $convertFromMarkdownString('**Kanun (TBK)**’nun', TRANSFORMERS), { discrete: true });
console.log(editor.read(() => $convertToMarkdownString(TRANSFORMERS)));
JS
output=$(node write.mjs) || exit 1
[[ $output == '\*\*Kanun (TBK)\*\*’nun' ]] || { echo "$output"; exit 1; }
echo "Lexical 0.52.0 reads '**Kanun (TBK)**’nun' from Markdown and writes it back as '\\*\\*Kanun (TBK)\\*\\*’nun'"
