/** What the API is made of and does not show. */
package org.verbs4j.internal;
