/** Files to import, for the document. */
export const exampleImport = {
  "application/x-ndjson": '{"name":"Rex","categoryId":1,"status":"available"}\n',
  "text/csv": "name,categoryId,status\nRex,1,available\n",
};

/** Exported files, for the document. */
export const exampleExport = {
  "application/x-ndjson": '{"id":1,"name":"Rex","categoryId":1,"status":"available"}\n',
  "text/csv": "id,name,categoryId,status\n1,Rex,1,available\n",
};
