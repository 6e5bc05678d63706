/*
 * The same calls through JNI in the manner of DiSNI: methods of a dispatcher object, addresses as long, the work requests
 * laid out in native memory by Java, and a failure or a missing queue thrown from here.
 */
#include <infiniband/verbs.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>

static void fail(JNIEnv *env, const char *what, int result)
{
	char message[128];
	jclass type = (*env)->FindClass(env, "java/io/IOException");

	snprintf(message, sizeof message, "%s: %d", what, result);
	if (type)
		(*env)->ThrowNew(env, type, message);
}

JNIEXPORT void JNICALL Java_org_verbs4j_jmh_JniVerbs_postSend(JNIEnv *env, jobject self, jlong qp, jlong wr)
{
	struct ibv_send_wr *bad;
	int result;

	(void)self;
	if (!qp) {
		fail(env, "ibv_post_send without a queue pair", 0);
		return;
	}
	result = ibv_post_send((struct ibv_qp *)(intptr_t)qp, (struct ibv_send_wr *)(intptr_t)wr, &bad);
	if (result)
		fail(env, "ibv_post_send", result);
}

JNIEXPORT void JNICALL Java_org_verbs4j_jmh_JniVerbs_postReceive(JNIEnv *env, jobject self, jlong qp, jlong wr)
{
	struct ibv_recv_wr *bad;
	int result;

	(void)self;
	if (!qp) {
		fail(env, "ibv_post_recv without a queue pair", 0);
		return;
	}
	result = ibv_post_recv((struct ibv_qp *)(intptr_t)qp, (struct ibv_recv_wr *)(intptr_t)wr, &bad);
	if (result)
		fail(env, "ibv_post_recv", result);
}

JNIEXPORT jint JNICALL Java_org_verbs4j_jmh_JniVerbs_poll(JNIEnv *env, jobject self, jlong cq, jint count, jlong wc)
{
	(void)self;
	if (!cq) {
		fail(env, "ibv_poll_cq without a completion queue", 0);
		return -1;
	}
	return ibv_poll_cq((struct ibv_cq *)(intptr_t)cq, count, (struct ibv_wc *)(intptr_t)wc);
}

JNIEXPORT jint JNICALL Java_org_verbs4j_jmh_JniVerbs_requestNotification(JNIEnv *env, jobject self, jlong cq)
{
	(void)self;
	if (!cq) {
		fail(env, "ibv_req_notify_cq without a completion queue", 0);
		return -1;
	}
	return ibv_req_notify_cq((struct ibv_cq *)(intptr_t)cq, 0);
}
