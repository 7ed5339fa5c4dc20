// Generated from the service's OpenAPI document: `npm run build` in client/. A test fails when they differ.

/** An int64: a number where that is exact, a bigint where it is not. */
export type Int64 = number | bigint;

export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pets
         * @description Returns a page of pets, by id, ascending unless `order=desc`. The `Link` with `rel="next"` leads to the next page. Needs the scope `pets:read`.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add a pet
         * @description Adds a pet. The pet is on disk before the service returns 201. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request adds nothing and gets the first response. Needs the scope `pets:write`.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add many pets
         * @description Adds all of these pets, or none of them. They are on disk before the service returns 201. The request counts as the number of its pets in both limits, and is refused with 429 if so many do not remain; one that is invalid counts as one. An `Idempotency-Key` works as it does for one pet. Needs the scope `pets:write`.
         */
        post: operations["createPets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one pet
         * @deprecated
         * @description Use `GET /pets?ids={petId}` instead: this operation is removed on 5 December 2030. Needs the scope `pets:read`.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        /**
         * Remove a pet
         * @description Removes a pet for good, unless an order holds it. Its id is never assigned again. Needs the scope `pets:write`.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change a pet
         * @description Changes the fields that the body names, and leaves the others as they are (RFC 7396). An available pet can become pending or sold, a pending one available or sold, a sold one available. While an order holds the pet, its status changes with the order alone. Needs the scope `pets:write`.
         */
        patch: operations["updatePet"];
        trace?: never;
    };
    "/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories
         * @description Returns a page of categories, by id, ascending. The `Link` with `rel="next"` leads to the next page. Needs the scope `pets:read`.
         */
        get: operations["listCategories"];
        put?: never;
        /**
         * Add a category
         * @description Adds a category under an id that the service assigns. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request adds nothing and gets the first response. Needs the scope `pets:write`.
         */
        post: operations["createCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/categories/{categoryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one category
         * @description Returns the category with this id. Needs the scope `pets:read`.
         */
        get: operations["getCategory"];
        /**
         * Name a category
         * @description Renames the category, or adds it under this id, which may be any int64: an id that pets already have can be given a name. With `If-Match` it only renames, with `If-None-Match: *` it only adds. Needs the scope `pets:write`.
         */
        put: operations["putCategory"];
        post?: never;
        /**
         * Remove a category
         * @description Removes a category that no pet has. Needs the scope `pets:write`.
         */
        delete: operations["deleteCategory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders
         * @description Returns a page of orders, by id, ascending. The `Link` with `rel="next"` leads to the next page. Needs the scope `orders:read`.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order a pet
         * @description Orders an available pet, which becomes pending with the order. Of several clients that order the same pet, exactly one gets it. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request orders nothing and gets the first response. Needs the scope `orders:write`.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get one order
         * @description Returns the order with this id. Orders outlive their pets. Needs the scope `orders:read`.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Approve, deliver or cancel an order
         * @description Gives an order its next status: a placed order can become approved, an approved one delivered, and both cancelled. The pet changes with it: it is sold when its order is delivered, and available when it is cancelled. Needs the scope `orders:write`.
         */
        patch: operations["updateOrder"];
        trace?: never;
    };
    "/store/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count pets by status
         * @description Returns how many pets of each status there are, exactly. Needs the scope `pets:read`.
         */
        get: operations["getInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what changes
         * @description Returns a page of events, by id, ascending: one for each change of a pet, a category or an order. The `Link` with `rel="next"` is on each page, also on an empty one: it leads to what comes next. With `Prefer: wait=30` a page that would be empty waits for the first event, at most so many seconds. With `Accept: application/cloudevents-batch+json` the page is a batch of CloudEvents 1.0 of that media type. Needs the scope `events:read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your key
         * @description Returns the key of the request: its plan, limits, scopes, dates, ban, the deprecated operations that it calls, and its requests by day. It is free, as `GET /usage` is: all of these operations together may be sent 60 times per minute. It works when no requests remain and during a ban, and needs no scope.
         */
        get: operations["getOwnKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your key's requests
         * @description Returns the last requests with your key that the service keeps, the newest first, each with the code of its error and what the code means. It is free, as `GET /usage` is: all of these operations together may be sent 60 times per minute. It works when no requests remain and during a ban, and needs no scope.
         */
        get: operations["listOwnRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate your secret
         * @description Gives the key of the request a new secret, which only this response shows. The secret of the request works until the grace period ends, after a day by default; until then it cannot rotate the key. A key gets at most 10 secrets in 24 hours. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request rotates nothing and gets the same secret. It is free, as `GET /usage` is: all of these operations together may be sent 60 times per minute. Needs the scope `key:rotate`.
         */
        post: operations["rotateOwnKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your key's usage
         * @description Returns the state of both windows, strikes, the ban, and the key's requests in the last 24 hours.
         *     It is free: it counts in none of the plan's windows, works when no requests remain and during a ban, and needs no scope.
         *     Beyond 60 requests per minute it is refused with 429, which is no strike. An addition to version 1.0.0 of the interface.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Pets, by id: ascending, unless `order=desc`. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description A pet in the catalogue.
         * @example {
         *       "id": 1,
         *       "name": "Rex",
         *       "categoryId": 1,
         *       "status": "available"
         *     }
         */
        Pet: {
            /**
             * Format: int64
             * @description Unique identifier, assigned by the service on creation. Positive, increasing, below 2^53.
             * @example 1
             */
            id: Int64;
            /**
             * @description The pet's name: not blank, without control characters, stored exactly as sent.
             * @example Rex
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category the pet belongs to. Any int64, unless the operator of the service has it check that the category exists.
             * @example 1
             */
            categoryId: Int64;
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description Availability of a pet.
         * @example available
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /**
         * @description The body of every error response.
         * @example {
         *       "code": "service_unavailable",
         *       "message": "The service cannot process this request now. Retry in a second.",
         *       "status": 503
         *     }
         */
        Error: {
            code: components["schemas"]["ErrorCode"];
            /** @description What went wrong and what to do, for people. */
            message: string;
            /**
             * Format: int32
             * @description The HTTP status code.
             */
            status: number;
            /**
             * @description On 400: every problem of the request.
             * @example [
             *       {
             *         "in": "query",
             *         "field": "limit",
             *         "problem": "must be an integer from 1 to 100"
             *       }
             *     ]
             */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /**
         * @description What went wrong, for programs. The list is closed.
         * @enum {string}
         */
        ErrorCode: "invalid_json" | "validation_failed" | "invalid_parameter" | "missing_api_key" | "invalid_api_key" | "expired_api_key" | "revoked_api_key" | "disabled_api_key" | "insufficient_scope" | "pet_not_found" | "category_not_found" | "order_not_found" | "not_found" | "method_not_allowed" | "idempotency_in_progress" | "invalid_transition" | "pet_reserved" | "pet_not_available" | "category_exists" | "category_in_use" | "operation_removed" | "position_expired" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "request_header_too_large" | "rate_limit_exceeded" | "quota_exceeded" | "key_banned" | "internal_error" | "service_unavailable";
        /** @description A problem of a request. */
        ErrorDetail: {
            in: components["schemas"]["RequestPart"];
            /**
             * @description The field, the parameter or the header.
             * @example limit
             */
            field: string;
            /**
             * @description What it must be.
             * @example must be an integer from 1 to 100
             */
            problem: string;
        };
        /**
         * @description The part of the request.
         * @enum {string}
         */
        RequestPart: "body" | "query" | "header";
        /**
         * @description The order of a list, by id: ascending, or the newest first.
         * @enum {string}
         */
        ListOrder: "asc" | "desc";
        /**
         * @description The request body that adds a pet. Unknown fields are ignored.
         * @example {
         *       "name": "Rex",
         *       "categoryId": 1,
         *       "status": "available"
         *     }
         */
        NewPet: {
            /**
             * @description The pet's name: not blank, without control characters, stored exactly as sent.
             * @example Rex
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category the pet belongs to. Any int64, unless the operator of the service has it check that the category exists.
             * @example 1
             */
            categoryId: Int64;
            /** @default available */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description The pets that a request added, in its order. */
        CreatedPets: {
            pets: components["schemas"]["Pet"][];
        };
        /**
         * @description The request body that adds many pets. Unknown fields are ignored.
         * @example {
         *       "pets": [
         *         {
         *           "name": "Rex",
         *           "categoryId": 1
         *         },
         *         {
         *           "name": "Mia",
         *           "categoryId": 2
         *         }
         *       ]
         *     }
         */
        NewPets: {
            pets: components["schemas"]["NewPet"][];
        };
        /**
         * @description The fields of a pet to change. Unknown fields are ignored.
         * @example {
         *       "status": "sold"
         *     }
         */
        PetPatch: {
            /**
             * @description The pet's name: not blank, without control characters, stored exactly as sent.
             * @example Rex
             */
            name?: string;
            /**
             * Format: int64
             * @description Identifier of the category the pet belongs to. Any int64, unless the operator of the service has it check that the category exists.
             * @example 1
             */
            categoryId?: Int64;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Categories, by id, ascending. */
        Categories: components["schemas"]["Category"][];
        /**
         * @description A category of pets.
         * @example {
         *       "id": 1,
         *       "name": "Dogs"
         *     }
         */
        Category: {
            /**
             * Format: int64
             * @description Identifier of the category: any int64. The service assigns positive ones below 2^53.
             * @example 1
             */
            id: Int64;
            /**
             * @description The category's name: not blank, without control characters, stored exactly as sent. No two categories have names that differ only in case.
             * @example Dogs
             */
            name: string;
        };
        /**
         * @description The request body that creates or renames a category. Unknown fields are ignored.
         * @example {
         *       "name": "Dogs"
         *     }
         */
        NewCategory: {
            /**
             * @description The category's name: not blank, without control characters, stored exactly as sent. No two categories have names that differ only in case.
             * @example Dogs
             */
            name: string;
        };
        /** @description Orders, by id, ascending. */
        Orders: components["schemas"]["Order"][];
        /**
         * @description An order of one pet.
         * @example {
         *       "id": 1,
         *       "petId": 1,
         *       "pet": {
         *         "name": "Rex",
         *         "categoryId": 1
         *       },
         *       "status": "placed",
         *       "createdAt": "2026-12-02T10:00:00.000Z",
         *       "updatedAt": "2026-12-02T10:00:00.000Z"
         *     }
         */
        Order: {
            /**
             * Format: int64
             * @description Assigned by the service. Positive, increasing, below 2^53.
             * @example 1
             */
            id: Int64;
            /**
             * Format: int64
             * @description The pet that was ordered. It may have been removed since.
             * @example 1
             */
            petId: Int64;
            /**
             * @description The pet as it was when it was ordered. Null for an order from before orders kept it, whose pet had been removed.
             * @example {
             *       "name": "Rex",
             *       "categoryId": 1
             *     }
             */
            pet: {
                /**
                 * @description The pet's name: not blank, without control characters, stored exactly as sent.
                 * @example Rex
                 */
                name: string;
                /**
                 * Format: int64
                 * @description Identifier of the category the pet belongs to. Any int64, unless the operator of the service has it check that the category exists.
                 * @example 1
                 */
                categoryId: Int64;
            } | null;
            status: components["schemas"]["OrderStatus"];
            /**
             * @description Your own number or name of the order, stored exactly as sent.
             * @example 2026-0815
             */
            reference?: string;
            /**
             * Format: date-time
             * @description When the order was placed.
             * @example 2026-12-02T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the order last changed.
             * @example 2026-12-02T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the order, unless it is approved before, is cancelled by itself. Only a placed order has it, and only where orders expire.
             * @example 2026-12-02T10:00:00.000Z
             */
            expiresAt?: string;
        };
        /**
         * @description Where an order stands.
         * @example placed
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered" | "cancelled";
        /**
         * @description The request body that places an order. Unknown fields are ignored.
         * @example {
         *       "petId": 1
         *     }
         */
        NewOrder: {
            /**
             * Format: int64
             * @description The id of an available pet.
             * @example 1
             */
            petId: Int64;
            /**
             * @description Your own number or name of the order, stored exactly as sent.
             * @example 2026-0815
             */
            reference?: string;
        };
        /**
         * @description The next status of an order. Unknown fields are ignored.
         * @example {
         *       "status": "approved"
         *     }
         */
        OrderPatch: {
            status: components["schemas"]["OrderStatus"];
        };
        /**
         * @description How many pets of each status there are.
         * @example {
         *       "available": 12,
         *       "pending": 3,
         *       "sold": 5
         *     }
         */
        Inventory: {
            /**
             * Format: int64
             * @description Pets that can be ordered.
             * @example 12
             */
            available: number;
            /**
             * Format: int64
             * @description Pets that an order holds, or that were set aside.
             * @example 12
             */
            pending: number;
            /**
             * Format: int64
             * @description Pets that were sold.
             * @example 12
             */
            sold: number;
        };
        /** @description Events, by id, ascending. */
        Events: components["schemas"]["Event"][];
        /**
         * @description A change of a pet, a category or an order.
         * @example {
         *       "id": 42,
         *       "type": "pet.updated",
         *       "at": "2026-12-02T10:00:00.000Z",
         *       "subject": "pets/1",
         *       "version": 2,
         *       "data": {
         *         "id": 1,
         *         "name": "Rex",
         *         "categoryId": 1,
         *         "status": "sold"
         *       },
         *       "requestId": "8f14e45f-ceea-467f-a9d2-3c1f0e6d7b55"
         *     }
         */
        Event: {
            /**
             * Format: int64
             * @description Positive, increasing, below 2^53. No event ever appears below one that you have seen.
             * @example 1
             */
            id: Int64;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When the change was made.
             * @example 2026-12-02T10:00:00.000Z
             */
            at: string;
            /**
             * @description What was changed: `pets/`, `categories/` or `orders/` with its id.
             * @example pets/1
             */
            subject: string;
            /**
             * Format: int64
             * @description The version of the subject. It grows with each change, and a removal is one.
             * @example 1
             */
            version: Int64;
            data: components["schemas"]["EventData"];
            /** @description The X-Request-Id of the request that made the change, if one did. */
            requestId?: string;
        };
        /**
         * @description What was changed, and how. `order.deleted` only happens to old orders, and when staging is reset.
         * @example pet.updated
         * @enum {string}
         */
        EventType: "pet.created" | "pet.updated" | "pet.deleted" | "category.created" | "category.updated" | "category.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.deleted";
        /**
         * @description The pet, category or order after the change; its last state once it was removed.
         * @example {
         *       "id": 1,
         *       "name": "Rex",
         *       "categoryId": 1,
         *       "status": "sold"
         *     }
         */
        EventData: components["schemas"]["Pet"] | components["schemas"]["Category"] | components["schemas"]["Order"];
        /** @description A batch of CloudEvents, by id, ascending. */
        CloudEvents: components["schemas"]["CloudEvent"][];
        /**
         * @description A change of a pet, a category or an order, as CloudEvents 1.0 has it.
         * @example {
         *       "specversion": "1.0",
         *       "id": "42",
         *       "source": "https://api.example.com/v1",
         *       "type": "pet.updated",
         *       "subject": "pets/1",
         *       "time": "2026-12-02T10:00:00.000Z",
         *       "datacontenttype": "application/json",
         *       "version": "2",
         *       "requestid": "8f14e45f-ceea-467f-a9d2-3c1f0e6d7b55",
         *       "data": {
         *         "id": 1,
         *         "name": "Rex",
         *         "categoryId": 1,
         *         "status": "sold"
         *       }
         *     }
         */
        CloudEvent: {
            /** @constant */
            specversion: "1.0";
            /**
             * @description The id of the event.
             * @example 42
             */
            id: string;
            /**
             * Format: uri
             * @description The base address of the interface.
             */
            source: string;
            type: components["schemas"]["EventType"];
            /**
             * @description What was changed: `pets/`, `categories/` or `orders/` with its id.
             * @example pets/1
             */
            subject: string;
            /**
             * Format: date-time
             * @description When the change was made.
             * @example 2026-12-02T10:00:00.000Z
             */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /**
             * @description The version of the subject.
             * @example 2
             */
            version: string;
            /** @description The X-Request-Id of the request that made the change, if one did. */
            requestid?: string;
            data: components["schemas"]["EventData"];
        };
        /** @description An API key, as its holder sees it: without its secrets. */
        OwnKey: {
            /** @description It stays when the key is rotated. */
            id: string;
            /** @description The label that the operator gave it. */
            name: string;
            plan: components["schemas"]["Plan"];
            limits: components["schemas"]["KeyLimits"];
            /** @description What it may do. */
            scopes: components["schemas"]["Scope"][];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it expires, or null.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Accurate to a minute.
             */
            lastUsedAt: string | null;
            /** @description The last four characters of its newest secret. */
            lastFour: string;
            /** @description Its earlier secrets that still work. */
            earlierSecrets: components["schemas"]["EarlierSecret"][];
            /** @description The current ban, or null. */
            ban: components["schemas"]["Ban"] | null;
            /** @description The deprecated operations that it calls, until they are removed. */
            deprecatedCalls: components["schemas"]["DeprecatedCalls"][];
            /** @description Today and the 29 days before it, oldest first, in UTC. */
            last30Days: components["schemas"]["UsageDay"][];
        };
        /**
         * @description The plan of a key, which sets its limits.
         * @example free
         * @enum {string}
         */
        Plan: "free" | "pro" | "business" | "enterprise";
        /** @description How many requests it may send per minute and per day. */
        KeyLimits: {
            /** Format: int64 */
            perMinute: number;
            /** Format: int64 */
            perDay: number;
        };
        /**
         * @description What a key may do.
         * @enum {string}
         */
        Scope: "pets:read" | "pets:write" | "orders:read" | "orders:write" | "events:read" | "key:rotate";
        /** @description A secret before the last rotation, which still works. */
        EarlierSecret: {
            lastFour: string;
            /**
             * Format: date-time
             * @description When its grace period ends.
             */
            expiresAt: string;
        };
        /** @description A ban of a key, which kept sending requests after refusals. */
        Ban: {
            /**
             * Format: date-time
             * @description When the ban ends.
             */
            until: string;
        };
        /** @description The key's calls of a deprecated operation. */
        DeprecatedCalls: {
            operation: string;
            /**
             * Format: int64
             * @description How often the key has called it.
             */
            calls: number;
            /** Format: date-time */
            lastCalledAt: string;
            /**
             * Format: date-time
             * @description When the operation is removed.
             */
            removedAt: string;
            /** @description What to call instead. */
            replacement: string;
        };
        /** @description The key's requests on one day. */
        UsageDay: {
            /**
             * Format: date-time
             * @description When the day begins.
             */
            at: string;
            /**
             * Format: int64
             * @description All requests on this day, except simulated ones.
             */
            requests: number;
            byClass: components["schemas"]["RequestsByClass"];
        };
        /** @description By response status, all four of them; 4xx without 429. */
        RequestsByClass: {
            [key: string]: number;
        };
        /** @description Requests, newest first. */
        OwnRequests: components["schemas"]["OwnRequest"][];
        /** @description A request with your key, without query, headers, bodies and address. */
        OwnRequest: {
            /** @description Where it is in the history. */
            id: string;
            /** @description The `X-Request-Id` of its response. A client may send one again. */
            requestId: string;
            /**
             * Format: date-time
             * @description The time of its response.
             * @example 2026-12-02T10:00:00.250Z
             */
            at: string;
            /** @description The id of its operation; `other` if it matched none. */
            operation: string;
            method: string;
            /** @description Without the query. A long one is cut. */
            path: string;
            /** Format: int32 */
            status: number;
            /** @description The code of its error response, and what the code means. */
            error: {
                code: string;
                message: string;
            } | null;
            /**
             * Format: double
             * @description From its arrival until its response, in ms.
             */
            duration: number;
            /** @description What it simulated, as `Petstore-Simulated` says it. */
            simulated: string | null;
            /** @description What it left of the limits of its key, or of its address without a valid key. */
            limits: {
                minute: components["schemas"]["WindowLeft"];
                day: components["schemas"]["WindowLeft"] | null;
            } | null;
        };
        /** @description What a request left of a window. */
        WindowLeft: {
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            remaining: number;
        };
        /**
         * @description What a list of requests is reduced to.
         * @enum {string}
         */
        RequestOutcome: "refused";
        /** @description A key with its new secret. */
        RotatedKey: {
            key: components["schemas"]["OwnKey"];
            /** @description Only this response shows it. */
            secret: string;
        };
        /**
         * @description The grace period, in which the key's earlier secrets still work.
         * @default {
         *       "graceSeconds": 86400
         *     }
         * @example {
         *       "graceSeconds": 3600
         *     }
         */
        Rotation: {
            /** Format: int32 */
            graceSeconds?: number;
        };
        /**
         * @description Usage and remaining requests of an API key.
         * @example {
         *       "plan": "free",
         *       "minute": {
         *         "limit": 60,
         *         "used": 60,
         *         "remaining": 0,
         *         "resetAt": "2026-12-02T10:01:00.000Z"
         *       },
         *       "day": {
         *         "limit": 1000,
         *         "used": 60,
         *         "remaining": 940,
         *         "resetAt": "2026-12-03T10:00:00.000Z"
         *       },
         *       "strikes": 0,
         *       "ban": {
         *         "until": "2026-12-02T10:05:30.000Z"
         *       },
         *       "last24Hours": [
         *         {
         *           "at": "2026-12-02T10:00:00.000Z",
         *           "requests": 162,
         *           "byClass": {
         *             "429": 101,
         *             "2xx": 60,
         *             "4xx": 1,
         *             "5xx": 0
         *           },
         *           "byOperation": {
         *             "listPets": 159,
         *             "createPet": 2,
         *             "createPets": 0,
         *             "getPet": 0,
         *             "updatePet": 0,
         *             "deletePet": 0,
         *             "listCategories": 0,
         *             "createCategory": 0,
         *             "getCategory": 0,
         *             "putCategory": 0,
         *             "deleteCategory": 0,
         *             "listOrders": 0,
         *             "placeOrder": 0,
         *             "getOrder": 0,
         *             "updateOrder": 0,
         *             "getInventory": 0,
         *             "listEvents": 0,
         *             "getOwnKey": 0,
         *             "listOwnRequests": 0,
         *             "rotateOwnKey": 0,
         *             "getUsage": 1,
         *             "other": 0
         *           },
         *           "simulated": 0
         *         }
         *       ]
         *     }
         */
        Usage: {
            plan: components["schemas"]["Plan"];
            /** @description The window of 60 seconds. */
            minute: components["schemas"]["UsageWindow"];
            /** @description The window of 24 hours. */
            day: components["schemas"]["UsageWindow"];
            /**
             * Format: int64
             * @description Strikes in the last ten minutes. Too many lead to a ban.
             */
            strikes: number;
            /** @description The current ban, or null. During a ban requests are refused, although the windows may have some left. */
            ban: components["schemas"]["Ban"] | null;
            /** @description The current hour and the 23 before it, oldest first, in UTC. */
            last24Hours: components["schemas"]["UsageHour"][];
        };
        /** @description A window of requests. The first counted request opens it. */
        UsageWindow: {
            /**
             * Format: int64
             * @description Requests that the window allows.
             */
            limit: number;
            /**
             * Format: int64
             * @description Requests counted so far.
             */
            used: number;
            /**
             * Format: int64
             * @description Requests that remain.
             */
            remaining: number;
            /**
             * Format: date-time
             * @description When the window ends; null while it is not open.
             */
            resetAt: string | null;
        };
        /** @description The key's requests in one hour. */
        UsageHour: {
            /**
             * Format: date-time
             * @description When the hour begins.
             */
            at: string;
            /**
             * Format: int64
             * @description All requests in this hour, except simulated ones.
             */
            requests: number;
            byClass: components["schemas"]["RequestsByClass"];
            byOperation: components["schemas"]["RequestsByOperation"];
            /**
             * Format: int64
             * @description Requests that were rehearsals, on staging. No other count has them.
             */
            simulated: number;
        };
        /** @description By operation; `other` counts requests for no operation. */
        RequestsByOperation: {
            /** Format: int64 */
            listPets: number;
            /** Format: int64 */
            createPet: number;
            /** Format: int64 */
            createPets: number;
            /** Format: int64 */
            getPet: number;
            /** Format: int64 */
            updatePet: number;
            /** Format: int64 */
            deletePet: number;
            /** Format: int64 */
            listCategories: number;
            /** Format: int64 */
            createCategory: number;
            /** Format: int64 */
            getCategory: number;
            /** Format: int64 */
            putCategory: number;
            /** Format: int64 */
            deleteCategory: number;
            /** Format: int64 */
            listOrders: number;
            /** Format: int64 */
            placeOrder: number;
            /** Format: int64 */
            getOrder: number;
            /** Format: int64 */
            updateOrder: number;
            /** Format: int64 */
            getInventory: number;
            /** Format: int64 */
            listEvents: number;
            /** Format: int64 */
            getOwnKey: number;
            /** Format: int64 */
            listOwnRequests: number;
            /** Format: int64 */
            rotateOwnKey: number;
            /** Format: int64 */
            getUsage: number;
            /** Format: int64 */
            other: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description Maximum number of pets returned. */
                limit?: number;
                /**
                 * @description Only pets of this status.
                 * @example available
                 */
                status?: components["schemas"]["PetStatus"];
                /** @description Only pets with an id above this one, below it with `order=desc`: the last id of the previous page. An int64 from 0 to 9223372036854775807. */
                after?: Int64;
                /** @description `asc`: by id, ascending. `desc`: the newest pets first. */
                order?: components["schemas"]["ListOrder"];
                /** @description Only pets with these ids, separated by commas. It may be repeated instead, also as `ids[]` or `ids[0]`. Without `limit` the page holds all of them. */
                ids?: Int64[];
                /** @description Only pets of this category. */
                categoryId?: Int64;
                /** @description Only pets with this name, or with `*` at the end those whose names begin so, such as `Rex*`. A name that ends in `*` is written with `\*`; anywhere else both stand for themselves. Case is ignored: names are compared in lower case, in Unicode's form NFKC. A page of a frequent beginning may hold fewer pets than `limit`, or none, although more follow: its `Link` leads on. */
                name?: string;
            };
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies this creation among those of the API key, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response. The header is a convention of many services, not a standard. */
                "Idempotency-Key"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The request body that adds a pet. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: never;
    };
    createPets: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies this creation among those of the API key, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response. The header is a convention of many services, not a standard. */
                "Idempotency-Key"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The request body that adds many pets. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPets"];
            };
        };
        responses: never;
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the pet. Any other text leads to 404. */
                petId: Int64;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the resource has one of these ETags, or any ETag for `*`. Otherwise the response is 412. */
                "If-Match"?: string;
                /** @description Make the change only if the resource has none of these ETags, or does not exist for `*`. Otherwise the response is 412. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the pet. Any other text leads to 404. */
                petId: Int64;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the resource has one of these ETags, or any ETag for `*`. Otherwise the response is 412. */
                "If-Match"?: string;
                /** @description Make the change only if the resource has none of these ETags, or does not exist for `*`. Otherwise the response is 412. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the pet. Any other text leads to 404. */
                petId: Int64;
            };
            cookie?: never;
        };
        /** @description The fields of a pet to change. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["PetPatch"];
                "application/json": components["schemas"]["PetPatch"];
            };
        };
        responses: never;
    };
    listCategories: {
        parameters: {
            query?: {
                /** @description Maximum number of categories returned. */
                limit?: number;
                /** @description Only categories with an id above this one: the last id of the previous page. */
                after?: Int64;
                /** @description Only categories with these ids, separated by commas. It may be repeated instead, also as `ids[]` or `ids[0]`. Without `limit` the page holds all of them. */
                ids?: Int64[];
                /** @description Only the category with this name. Case is ignored: names are compared in lower case, in Unicode's form NFKC. */
                name?: string;
            };
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    createCategory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies this creation among those of the API key, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response. The header is a convention of many services, not a standard. */
                "Idempotency-Key"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The request body that creates or renames a category. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCategory"];
            };
        };
        responses: never;
    };
    getCategory: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the category. Any other text leads to 404. */
                categoryId: Int64;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    putCategory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the resource has one of these ETags, or any ETag for `*`. Otherwise the response is 412. */
                "If-Match"?: string;
                /** @description Make the change only if the resource has none of these ETags, or does not exist for `*`. Otherwise the response is 412. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the category. Any other text leads to 404. */
                categoryId: Int64;
            };
            cookie?: never;
        };
        /** @description The request body that creates or renames a category. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCategory"];
            };
        };
        responses: never;
    };
    deleteCategory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the resource has one of these ETags, or any ETag for `*`. Otherwise the response is 412. */
                "If-Match"?: string;
                /** @description Make the change only if the resource has none of these ETags, or does not exist for `*`. Otherwise the response is 412. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the category. Any other text leads to 404. */
                categoryId: Int64;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description Maximum number of orders returned. */
                limit?: number;
                /**
                 * @description Only orders of this status.
                 * @example placed
                 */
                status?: components["schemas"]["OrderStatus"];
                /** @description Only orders for this pet. */
                petId?: Int64;
                /** @description Only orders with exactly this reference. */
                reference?: string;
                /** @description Only orders with an id above this one: the last id of the previous page. An int64 from 0 to 9223372036854775807. */
                after?: Int64;
                /** @description Only orders with these ids, separated by commas. It may be repeated instead, also as `ids[]` or `ids[0]`. Without `limit` the page holds all of them. */
                ids?: Int64[];
            };
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies this creation among those of the API key, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response. The header is a convention of many services, not a standard. */
                "Idempotency-Key"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The request body that places an order. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: never;
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the order. Any other text leads to 404. */
                orderId: Int64;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    updateOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the resource has one of these ETags, or any ETag for `*`. Otherwise the response is 412. */
                "If-Match"?: string;
                /** @description Make the change only if the resource has none of these ETags, or does not exist for `*`. Otherwise the response is 412. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path: {
                /** @description The id of the order. Any other text leads to 404. */
                orderId: Int64;
            };
            cookie?: never;
        };
        /** @description The next status of an order. Unknown fields are ignored. */
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["OrderPatch"];
                "application/json": components["schemas"]["OrderPatch"];
            };
        };
        responses: never;
    };
    getInventory: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of events returned. */
                limit?: number;
                /** @description Only events with an id above this one: the position from which you go on. With 0 the page begins with the oldest event that is kept. */
                after?: Int64;
                /** @description Only events of these types, separated by commas. */
                types?: components["schemas"]["EventType"][];
                /** @description Only events of this pet, category or order. */
                subject?: string;
            };
            header?: {
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    getOwnKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    listOwnRequests: {
        parameters: {
            query?: {
                /** @description The largest number of items. */
                limit?: number;
                /** @description Only requests before the one with this `id`: the last one of the previous page. */
                before?: string;
                /** @description `refused`: only requests whose response was an error (4xx and 5xx). */
                status?: components["schemas"]["RequestOutcome"];
            };
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    rotateOwnKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies this creation among those of the API key, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response. The header is a convention of many services, not a standard. */
                "Idempotency-Key"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The grace period, in which the key's earlier secrets still work. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: never;
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of representations that you have: if one is current, the response is 304 without a body. */
                "If-None-Match"?: string;
                /** @description What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored. */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
}
