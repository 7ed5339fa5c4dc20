/** Files to import, for the document. */
export const exampleImport = {
  "application/x-ndjson": '{"name":"Rex","categoryId":1,"status":"available"}\n',
  "text/csv": "name,categoryId,status\nRex,1,available\n",
};

/** An exported file of callers, for the document. */
export const exampleCallers = {
  "text/csv":
    "operation,keyId,keyName,calls,lastCalledAt,userAgent,ownerName,ownerEmail\ngetPet,key_4kTn0aWq7JbYcX2z,My app,12,2026-12-02T10:00:00.250Z,my-app/1.0,Ada,ada@example.org\n",
};

/** Exported files of changes, for the document. */
export const exampleChanges = {
  "application/x-ndjson":
    '{"id":1,"at":"2026-12-02T10:00:00.250Z","operator":{"name":"first start"},"action":"key.create","target":"key_4kTn0aWq7JbYcX2z","before":null,"after":{"plan":"business"},"requestId":null}\n',
  "text/csv":
    'id,at,operatorId,operator,action,target,before,after,requestId\n1,2026-12-02T10:00:00.250Z,,first start,key.create,key_4kTn0aWq7JbYcX2z,,"{""plan"":""business""}",\n',
};

/** Exported files, for the document. */
export const exampleExport = {
  "application/x-ndjson": '{"id":1,"name":"Rex","categoryId":1,"status":"available"}\n',
  "text/csv": "id,name,categoryId,status\n1,Rex,1,available\n",
};
