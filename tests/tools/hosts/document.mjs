export function document(){ return ''; }
